/** Which budgets a caller has, as this process knows them, and the fund of the current window of each. */
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { DatabaseClock } from '../storage/agreed-time.ts';
import { type ChangeFeed, everyKey } from '../storage/change-feed.ts';
import type { Database } from '../storage/database.ts';
import { type BudgetPeriod, type BudgetSpan, budgetSpan } from './budget-window.ts';
import {
  type Budget,
  type BudgetSubject,
  budgetTopic,
  openWindows,
  readBudgets,
  readSubject,
} from './budgets.ts';
import { type Fund, forgetIdle, type KnownFunds } from './fund.ts';

/** What the costs of a caller are counted for. */
export interface BudgetedBy {
  readonly keyId: number;
  readonly userId: number;
  readonly departmentId: number | null;
  readonly projectId: number | null;
  readonly organisationId: number | null;
}

export interface BudgetBookOptions {
  readonly db: Database;
  readonly changes: ChangeFeed;
  /** Which windows are open is told by it alone: a process whose date is ahead would begin those that are to come. */
  readonly clock: DatabaseClock;
  readonly known: KnownFunds;
  /** How many subjects are remembered, and how many windows while nothing of theirs is pending. */
  readonly maxSubjects: number;
}

interface Window extends BudgetSpan {
  readonly fund: Fund;
}

/** Not before it begins either: what is known of the time can turn out to have been ahead. */
const isOpen = ({ startsAtMs, endsAtMs }: BudgetSpan, nowMs: number): boolean =>
  nowMs >= startsAtMs && (endsAtMs === null || nowMs < endsAtMs);

const noFunds: readonly Fund[] = [];
const noBudgets: readonly Budget[] = [];

export class BudgetBook {
  readonly #db: Database;
  readonly #clock: DatabaseClock;
  readonly #knownFunds: KnownFunds;
  readonly #maxWindows: number;
  readonly #unsubscribe: () => void;
  readonly #known: { readonly [Kind in BudgetSubject['kind']]: LRUCache<number, readonly Budget[]> };
  /** Raised by every change: what was read before may be out of date. */
  #changes = 0;
  /** By budget. */
  readonly #windows = new Map<number, Window>();
  /** All that something may be pending of, also of windows that are over. */
  readonly #funds = new Map<number, Fund>();
  readonly #loading = new Map<string, Promise<readonly Fund[]>>();

  constructor({ db, changes, clock, known, maxSubjects }: BudgetBookOptions) {
    this.#knownFunds = known;
    this.#db = db;
    this.#clock = clock;
    this.#maxWindows = maxSubjects;
    const remembered = () => new LRUCache<number, readonly Budget[]>({ max: maxSubjects });
    this.#known = {
      key: remembered(),
      user: remembered(),
      department: remembered(),
      project: remembered(),
      organisation: remembered(),
    };
    this.#unsubscribe = changes.subscribe(budgetTopic, (key) => this.#forget(key));
  }

  /** Of the windows that are open now; synchronous once the caller's budgets are known. @throws what the database throws. */
  fundsOf(by: BudgetedBy): MaybePromise<readonly Fund[]> {
    const budgets = this.#warm(by);
    if (budgets === undefined) return this.#load(by);
    if (budgets.length === 0) return noFunds;
    return this.#open(budgets) ?? this.#load(by);
  }

  /** Of a window that this process spent from. */
  fund(id: number): Fund | undefined {
    return this.#funds.get(id);
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Undefined while some are not known. */
  #warm(by: BudgetedBy): readonly Budget[] | undefined {
    let all = noBudgets;
    for (const [kind, idOf] of subjects) {
      const id = idOf(by);
      if (id === null) continue;
      const its = this.#known[kind].get(id);
      if (its === undefined) return undefined;
      if (its.length > 0) all = all.length === 0 ? its : [...all, ...its];
    }
    return all;
  }

  /** Undefined while the window of some is not known. */
  #open(budgets: readonly Budget[]): readonly Fund[] | undefined {
    const nowMs = this.#clock.nowMs();
    const funds: Fund[] = [];
    for (const { id } of budgets) {
      const window = this.#windows.get(id);
      if (window === undefined || !isOpen(window, nowMs)) return undefined;
      funds.push(window.fund);
    }
    return funds;
  }

  /** One for all who ask meanwhile. */
  #load(by: BudgetedBy): Promise<readonly Fund[]> {
    const { keyId, userId, departmentId, projectId, organisationId } = by;
    const name = `${this.#changes} ${keyId} ${userId} ${departmentId} ${projectId} ${organisationId}`;
    const underway = this.#loading.get(name);
    if (underway !== undefined) return underway;
    const loading = this.#read(by).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  async #read(by: BudgetedBy): Promise<readonly Fund[]> {
    const budgets = this.#warm(by) ?? (await this.#readBudgets(by));
    if (budgets.length === 0) return noFunds;
    const nowMs = await this.#clock.look();
    const spans = budgets.map((budget) => ({ budget, span: budgetSpan(budget.period, nowMs) }));
    const wanted = spans.map(({ budget, span }) => ({ budgetId: budget.id, startsAtMs: span.startsAtMs }));
    const fundIds = await openWindows(this.#db, wanted);
    return spans.flatMap(({ budget, span }) => {
      const fundId = fundIds.get(budget.id);
      // Removed meanwhile.
      if (fundId === undefined) return [];
      const fund = this.#fundOf(fundId, budget, span.endsAtMs);
      this.#windows.set(budget.id, { ...span, fund });
      return [fund];
    });
  }

  async #readBudgets(by: BudgetedBy): Promise<readonly Budget[]> {
    const its = subjectsOf(by);
    const before = this.#changes;
    const all = await readBudgets(this.#db, its);
    // A change that came meanwhile may not be in it.
    if (before !== this.#changes) return all;
    for (const { kind, id } of its) {
      const own = all.filter(({ subject }) => subject.kind === kind && subject.id === id);
      this.#known[kind].set(id, own.length === 0 ? noBudgets : own);
    }
    return all;
  }

  #fundOf(id: number, { subject, period }: Budget, resetsAtMs: number | null): Fund {
    const known = this.#funds.get(id);
    if (known !== undefined) return known;
    this.#forgetIdle();
    const fund = this.#knownFunds.of(id, {
      kind: 'budget',
      title: titleOf(subject.kind, period),
      budget: { of: subject.kind, period },
      resetsAtMs,
    });
    this.#funds.set(id, fund);
    return fund;
  }

  #forgetIdle(): void {
    const forgotten = forgetIdle(this.#funds, this.#maxWindows);
    // Each new fund comes by here, and all windows begin anew at midnight.
    if (forgotten.size === 0) return;
    for (const [budgetId, { fund }] of this.#windows) {
      if (forgotten.has(fund)) this.#windows.delete(budgetId);
    }
  }

  #forget(key: string): void {
    this.#changes += 1;
    if (key === everyKey) {
      for (const known of Object.values(this.#known)) known.clear();
      for (const fund of this.#funds.values()) fund.invalidate();
      return;
    }
    const { kind, id } = readSubject(key) ?? {};
    if (kind === undefined || id === undefined) return;
    for (const budget of this.#known[kind].get(id) ?? []) this.#windows.get(budget.id)?.fund.invalidate();
    this.#known[kind].delete(id);
  }
}

/** Whose budgets hold for a caller, the nearest first. */
export const subjectsOf = (by: BudgetedBy): readonly BudgetSubject[] =>
  subjects.flatMap(([kind, idOf]) => {
    const id = idOf(by);
    return id === null ? [] : [{ kind, id }];
  });

type Subject = readonly [kind: BudgetSubject['kind'], idOf: (by: BudgetedBy) => number | null];
const subjects: readonly Subject[] = [
  ['key', ({ keyId }) => keyId],
  ['user', ({ userId }) => userId],
  ['department', ({ departmentId }) => departmentId],
  ['project', ({ projectId }) => projectId],
  ['organisation', ({ organisationId }) => organisationId],
];

const owners: Readonly<Record<BudgetSubject['kind'], string>> = {
  key: 'this key',
  user: 'your account',
  department: 'your department',
  project: 'this project',
  organisation: 'your organisation',
};

const titleOf = (kind: BudgetSubject['kind'], period: BudgetPeriod): string =>
  `${period} budget of ${owners[kind]}`;
