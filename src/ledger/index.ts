/** The ledger room: who may spend, and what becomes of their money. */
export type { Posting } from './account.ts';
export type { Admission } from './admission.ts';
export { Wallets } from './wallets.ts';
