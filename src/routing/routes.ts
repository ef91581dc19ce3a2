/** What routing remembers from one request to the next, and where the way of each begins. */
import type { Clock } from '../base/clock.ts';
import type { Model } from '../catalogue/index.ts';
import { Affinity, type Stickiness } from './affinity.ts';
import type { Candidate } from './candidates.ts';
import type { CircuitState } from './circuit.ts';
import { Health } from './health.ts';
import type { Sharing, SharingListener } from './redis-sharing.ts';
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
  /** Null where this process is alone. */
  #sharing: Sharing | null = null;

  constructor({ clock, random, deadlineMs, isHealthOn }: RoutesOptions) {
    const onChange = (name: string, state: CircuitState) => this.#sharing?.tellCircuit(name, state);
    const health = new Health({ clock, random, isOn: isHealthOn, onChange });
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

  /**
   * From now on other processes are told what is remembered here, and what they tell is remembered.
   * @param open is handed the one who hears of them, and connects.
   */
  async share<Opened extends Sharing>(open: (listener: SharingListener) => Promise<Opened>): Promise<Opened> {
    const { health, affinity } = this.#parts;
    const sharing = await open({
      learn: (name, state) => health.learn(name, state),
      circuits: () => health.circuits(),
      joined: () => affinity.tellAgain(),
    });
    this.#sharing = sharing;
    affinity.shareWith((session, account) => sharing.tellSession(session, account));
    return sharing;
  }

  /**
   * Asks other processes who answered a conversation of which this one knows nothing.
   * @param hasHistory whether somebody has answered in it at all.
   * @returns undefined in the usual case, where there is nothing to wait for. It never rejects.
   */
  recall({ session, isNew }: Stickiness, hasHistory: () => boolean): Promise<void> | undefined {
    const { affinity } = this.#parts;
    if (this.#sharing === null || isNew || affinity.find(session) !== null || !hasHistory()) return undefined;
    return this.#sharing.findSession(session).then((account) => {
      if (account !== null) affinity.adopt(session, account);
    });
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
