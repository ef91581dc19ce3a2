/** The ledger room: whose money it is, who may spend it, and what became of it. */
export { type Admission, unchargedAdmission, type Wanted } from './admission.ts';
export { type BalanceLevels, balanceKeeper } from './balance-keeper.ts';
export { setCreditLimit } from './books.ts';
export {
  type BudgetDefault,
  type BudgetGroup,
  budgetReceivers,
  giveDefaultBudgets,
  listBudgetDefaults,
  removeBudgetDefault,
  removeGivenBudgets,
  removeUndeclaredBudgetDefaults,
  setBudgetDefault,
} from './budget-defaults.ts';
export { budgetKeeper } from './budget-keeper.ts';
export { budgetPeriods } from './budget-window.ts';
export {
  type BudgetState,
  type BudgetSubject,
  listBudgets,
  removeBudget,
  removeUndeclaredBudgets,
  setBudget,
} from './budgets.ts';
export { checkBooks } from './check.ts';
export { FundsError } from './fund.ts';
export type { JournalKind } from './journals.ts';
export { endHolder, fenceHolder, listHolders, releaseHolder } from './lease-rows.ts';
export { adjust, refund, transfer } from './movements.ts';
export { grantPromotion, listPromotions, movePromotion, promotionKeeper } from './promotions.ts';
export { postReratings } from './rerating.ts';
export { reverseJournal } from './reversal.ts';
export { newJournalId, settleCharges } from './settle-charges.ts';
export { measureBooks } from './size.ts';
export { findDeposit, mostStatementLines, readStatement } from './statement.ts';
export { thresholdKeeper } from './threshold-keeper.ts';
export { Wallets } from './wallets.ts';
