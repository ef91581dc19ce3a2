/** Which periods budgets have, and where a window of each begins and ends: by the calendar, in UTC. */

export const budgetPeriods = ['daily', 'weekly', 'monthly', 'total'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

export interface BudgetSpan {
  readonly startsAtMs: number;
  /** When the next one begins; null for a total, which has no other. */
  readonly endsAtMs: number | null;
}

const dayMs = 86_400_000;
/** The first Monday of the epoch. */
const firstMondayMs = 4 * dayMs;

export function budgetSpan(period: BudgetPeriod, nowMs: number): BudgetSpan {
  switch (period) {
    case 'daily':
      return spanOf(nowMs - (nowMs % dayMs), dayMs);
    case 'weekly':
      return spanOf(nowMs - ((nowMs - firstMondayMs) % (7 * dayMs)), 7 * dayMs);
    case 'monthly': {
      const now = new Date(nowMs);
      const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
      return { startsAtMs: Date.UTC(year, month), endsAtMs: Date.UTC(year, month + 1) };
    }
    case 'total':
      return { startsAtMs: 0, endsAtMs: null };
  }
}

const spanOf = (startsAtMs: number, lengthMs: number): BudgetSpan => ({
  startsAtMs,
  endsAtMs: startsAtMs + lengthMs,
});
