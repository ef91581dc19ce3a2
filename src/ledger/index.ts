/** The ledger room: who may spend, and what becomes of their money. */
export { type Admission, exemptAdmission, FundsError, type Wanted } from './account.ts';
export { findDeposit, subtractCharges } from './wallet-rows.ts';
export { Wallets } from './wallets.ts';
