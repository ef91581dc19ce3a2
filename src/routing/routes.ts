/** What routing remembers from one request to the next, and where the way of each begins. */
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { CatalogueSnapshot, Deployment, Model } from '../catalogue/index.ts';
import { Affinity, ofStates, type Stickiness } from './affinity.ts';
import type { Candidate } from './candidates.ts';
import type { CircuitState } from './circuit.ts';
import { Health } from './health.ts';
import { DeploymentOrder, isWarmWorthIt, Latencies } from './ordering.ts';
import type { TellPoolEvent } from './pool-events.ts';
import { describePools, type ProviderHealth } from './pool-health.ts';
import type { Sharing, SharingListener } from './redis-sharing.ts';
import { Route } from './route.ts';
import type { RouteParts } from './route-parts.ts';
import { CredentialLimits, RetryBudget, Spread } from './spread.ts';
import type { Wish } from './terms.ts';

export interface RoutesOptions {
  readonly clock: Clock;
  /** How a request waits until somebody is asked again; by the clock where it is not given. */
  readonly pause?: Clock['sleep'] | undefined;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Before the first content of an answer: after it nobody further is asked. */
  readonly deadlineMs: number;
  /** Whether failures of one request are remembered in the next. */
  readonly isHealthOn: boolean;
  /** Tokens a second of a deployment; null where nobody knows, which is so of all where it is not given. */
  readonly rateOf?: (deployment: Deployment) => number | null;
  /** What happens to credentials, for the token log. */
  readonly onEvent?: TellPoolEvent;
}

/** What else may answer, and how it is wanted. */
export interface Opening {
  readonly wish?: Wish | undefined;
  /** Models to fall back on, each with its candidates. */
  readonly others?: readonly { readonly model: Model; readonly candidates: readonly Candidate[] }[];
  /** Only to tell who would be asked. */
  readonly isDry?: boolean | undefined;
}

export class Routes {
  readonly health: Health;
  readonly #parts: RouteParts;
  readonly #order: DeploymentOrder;
  /** Who holds what of a conversation, and for whom. */
  readonly #states: Affinity;
  /** Null where this process is alone. */
  #sharing: Sharing | null = null;

  constructor({
    clock,
    pause = clock.sleep,
    random,
    deadlineMs,
    isHealthOn,
    onEvent,
    rateOf = () => null,
  }: RoutesOptions) {
    const latencies = new Latencies(clock);
    const onChange = (name: string, state: CircuitState) => this.#sharing?.tellCircuit(name, state);
    const health = new Health({
      ...{ clock, random, isOn: isHealthOn, onChange },
      ...(onEvent === undefined ? undefined : { onEvent }),
    });
    this.health = health;
    this.#parts = {
      clock,
      pause,
      health,
      deadlineMs,
      onEvent,
      spread: new Spread(health, new CredentialLimits(clock, () => this.processes)),
      budget: new RetryBudget(clock),
      affinity: new Affinity(clock),
      latencies,
    };
    this.#order = new DeploymentOrder({ clock, random, latencies, rateOf });
    this.#states = new Affinity(clock, ofStates);
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
      nowMs: () => health.nowMs,
      joined: () => affinity.tellAgain(),
    });
    this.#sharing = sharing;
    affinity.shareWith((session, account) => sharing.tellSession(session, account));
    this.#states.shareWith((word, holder) => sharing.tellState(word, holder));
    return sharing;
  }

  /** How each provider's credentials stand, as far as this process knows; with Redis it knows what others saw. */
  describePools(snapshot: Pick<CatalogueSnapshot, 'models'>): readonly ProviderHealth[] {
    return describePools(snapshot, this.#parts);
  }

  /** For metrics. */
  get retriesLeft(): number {
    return this.#parts.budget.left;
  }

  /** That share what they know, this one included. */
  get processes(): number {
    return this.#sharing?.processes ?? 1;
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

  /** Who holds what an upstream keeps of a conversation, and for whom. @param word what stands for it. */
  keepState(word: string, holder: string): void {
    this.#states.keep(word, holder);
  }

  /** @returns null where nobody knows. It never rejects. */
  findState(word: string): MaybePromise<string | null> {
    const known = this.#states.find(word);
    return known !== null || this.#sharing === null ? known : this.#sharing.findState(word);
  }

  /** @param candidates of the model, in order of preference. @param sticky where there is more than one to choose from. */
  open(
    candidates: readonly Candidate[],
    model: Model,
    sticky?: Stickiness | null,
    { wish, others = noOthers, isDry }: Opening = usually,
  ): Route {
    const own = this.#arrange(candidates, { model, wish, isDry });
    const order = this.#withWarmFirst(own, model, { sticky, wish });
    const wanted = order === own ? undefined : order[0];
    const stays = sticky == null || own.length < 2 ? undefined : sticky.session;
    const all =
      others.length === 0
        ? order
        : [
            ...order,
            ...others.flatMap((other) => this.#arrange(other.candidates, { ...other, wish, isDry })),
          ];
    return new Route(this.#parts, {
      isDry,
      order: all,
      models: others.length === 0 ? [model] : [model, ...others.map((other) => other.model)],
      ...(stays === undefined ? undefined : { session: stays }),
      ...(wanted === undefined ? undefined : { wanted }),
    });
  }

  #arrange(
    candidates: readonly Candidate[],
    { model, wish, isDry }: { readonly model: Model } & Pick<Opening, 'wish' | 'isDry'>,
  ): readonly Candidate[] {
    return this.#order.arrange(this.#parts.spread.arrange(candidates, isDry), model, wish);
  }

  /** @returns another list where the conversation was answered by one of these, who goes first then. */
  #withWarmFirst(
    own: readonly Candidate[],
    model: Model,
    { sticky, wish }: { readonly sticky: Stickiness | null | undefined; readonly wish: Wish | undefined },
  ): readonly Candidate[] {
    const [first] = own;
    if (sticky == null || sticky.isNew || own.length < 2 || first === undefined) return own;
    const last = this.#parts.affinity.find(sticky.session);
    const at = last === null ? -1 : own.findIndex(({ names }) => names.account === last);
    const warm = own[at];
    const atMs = this.#parts.clock.nowMs();
    if (warm === undefined || !isWarmWorthIt(warm, first, { model, wish, atMs })) return own;
    return [warm, ...own.slice(0, at), ...own.slice(at + 1)];
  }
}

const noOthers: NonNullable<Opening['others']> = [];
const usually: Opening = {};
