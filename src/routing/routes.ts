/** What routing remembers from one request to the next, and where the way of each begins. */
import type { Clock } from '../base/clock.ts';
import type { Model } from '../catalogue/index.ts';
import { Affinity, type Stickiness } from './affinity.ts';
import type { Candidate } from './candidates.ts';
import { Health } from './health.ts';
import { RetryBudget } from './retry-budget.ts';
import { Route, type RouteParts } from './route.ts';
import { Spread } from './spread.ts';

export interface RoutesOptions {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Before the first content of an answer: after it nobody further is asked. */
  readonly deadlineMs: number;
  /** Whether failures of one request are remembered in the next. */
  readonly isHealthOn: boolean;
}

export class Routes {
  readonly health: Health;
  readonly #parts: RouteParts;

  constructor({ clock, random, deadlineMs, isHealthOn }: RoutesOptions) {
    const health = new Health({ clock, random, isOn: isHealthOn });
    this.health = health;
    this.#parts = {
      clock,
      health,
      deadlineMs,
      spread: new Spread(health),
      budget: new RetryBudget(clock),
      affinity: new Affinity(clock),
    };
  }

  /** @param candidates in order of preference. @param sticky where there is more than one to choose from. */
  open(candidates: readonly Candidate[], model: Model, sticky?: Stickiness | null): Route {
    const { spread, affinity } = this.#parts;
    const order = spread.arrange(candidates);
    if (sticky == null || order.length < 2) return new Route(this.#parts, { order, model });
    const last = sticky.isNew ? null : affinity.find(sticky.session);
    const at = last === null ? -1 : order.findIndex(({ names }) => names.account === last);
    const wanted = order[at];
    if (wanted === undefined) return new Route(this.#parts, { order, model, session: sticky.session });
    const first = [wanted, ...order.slice(0, at), ...order.slice(at + 1)];
    return new Route(this.#parts, { order: first, model, session: sticky.session, wanted });
  }
}
