/**
 * Sets aside what a request can cost before a provider is asked. Where less than the most can be had, the answer is held
 * to what was set aside; where less than the least, or where a strict key cannot have what it asks for, the request is
 * refused with what could be paid. README.md has the rules.
 */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { writeUsd } from '../base/money.ts';
import { MostCost, type Prices, priceAt } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import { type Admission, FundsError, unchargedAdmission, type Wanted } from '../ledger/index.ts';
import type { Asked, PaidEndpoint, RequestBound } from './endpoint.ts';
import type { Plan, Plans } from './plans.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices, GatewaySettings } from './services.ts';

/** An answer that is shorter is of no use, and some upstreams refuse to give it. */
const leastOutputTokens = 16;
/** Most answers are shorter. */
const fairOutputTokens = 4096;
/** An answer without a limit of its caller's is hardly ever longer, so that nothing is counted to allow for more. */
const ampleOutputTokens = 16_384;

interface Holding<Ask> {
  /** Any of them may answer, and any of its candidates serve it, each at its own price. */
  readonly plans: Plans<Ask>;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/**
 * @returns the requests as they are paid for; later where the wallet is not warm, or the input had to be counted.
 * @throws AppError insufficient_funds or budget_exceeded.
 */
export function holdCost<Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  holding: Holding<Ask>,
): MaybePromise<Plans<Ask>> {
  const { plans, facts } = holding;
  const { admission = unchargedAdmission } = facts;
  if (admission === unchargedAdmission) return plans;
  const bounds = plans.map((plan) => endpoint.mostUsage(asSent(endpoint, plan, holding), plan));
  const cost = costOf(holding, bounds);
  if (cost.wholeNanoUsd === 0n) return plans;
  return take({ holding, endpoint, admission, bounds, cost, isCounted: false });
}

const asSent = <Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  { request }: Plan<Ask>,
  { caller, services, facts: { held } }: Holding<Ask>,
): Ask => endpoint.asSent?.(request, { caller, services, held }) ?? request;

/** Of the dearest of the models, where there are several. */
function costOf(holding: Holding<Asked>, bounds: readonly RequestBound[]): Cost {
  const { plans, facts } = holding;
  const costOfPlan = (plan: Plan<Asked>, { usage }: RequestBound) =>
    new MostCost(pricesOfAll(plan, facts), usage);
  const [plan] = plans;
  const [bound] = bounds;
  // Nearly all requests name one model, and this runs on every request.
  if (plans.length === 1 && bound !== undefined) return costOfPlan(plan, bound);
  return new DearestCost(
    plans.flatMap((each, at) => {
      const own = bounds[at];
      return own === undefined ? [] : [costOfPlan(each, own)];
    }),
  );
}

type Cost = Pick<MostCost, 'wholeNanoUsd' | 'withOutputNanoUsd' | 'outputFor' | 'outputTokens'>;

class DearestCost implements Cost {
  readonly #costs: readonly Cost[];

  constructor(costs: readonly Cost[]) {
    this.#costs = costs;
  }

  get wholeNanoUsd(): bigint {
    return dearest(this.#costs.map(({ wholeNanoUsd }) => wholeNanoUsd));
  }

  withOutputNanoUsd(outputTokens: number): bigint {
    return dearest(this.#costs.map((cost) => cost.withOutputNanoUsd(outputTokens)));
  }

  get outputTokens(): number {
    return Math.max(...this.#costs.map(({ outputTokens }) => outputTokens));
  }

  /** A model whose longest answer is paid for bounds no other one, which may give a longer one. */
  outputFor(amountNanoUsd: bigint): number {
    let least = this.outputTokens;
    for (const cost of this.#costs) {
      const tokens = cost.outputFor(amountNanoUsd);
      if (tokens < cost.outputTokens) least = Math.min(least, tokens);
    }
    return least;
  }
}

function dearest(amounts: readonly bigint[]): bigint {
  let most = 0n;
  for (const amount of amounts) if (amount > most) most = amount;
  return most;
}

/** The longest that any of the models may give. */
function longestAnswer(bounds: readonly RequestBound[]): RequestBound['answer'] {
  let longest: RequestBound['answer'] = null;
  for (const { answer } of bounds) {
    if (answer !== null && answer.tokens > (longest?.tokens ?? -1)) longest = answer;
  }
  return longest;
}

function pricesOfAll(
  { model, candidates }: Plan<Asked>,
  { arrivedAtMs }: Pick<RequestFacts, 'arrivedAtMs'>,
): readonly Prices[] {
  const all: Prices[] = [];
  for (const { deployment } of candidates) {
    const prices = priceAt(model, deployment, arrivedAtMs)?.prices;
    if (prices !== undefined && !all.includes(prices)) all.push(prices);
  }
  return all;
}

/** A request, and the bound of what it uses as far as that is known. */
interface Priced<Ask extends Asked> {
  readonly holding: Holding<Ask>;
  readonly endpoint: PaidEndpoint<Ask>;
  readonly admission: Admission;
  /** Of each of the plans. */
  readonly bounds: readonly RequestBound[];
  readonly cost: Cost;
  /** Nothing closer can be said. */
  readonly isCounted: boolean;
}

function take<Ask extends Asked>(priced: Priced<Ask>): MaybePromise<Plans<Ask>> {
  const wanted = new WantedCost(priced);
  let held: MaybePromise<bigint>;
  try {
    held = priced.admission.hold(wanted);
  } catch (thrown) {
    return takeLess(thrown, wanted, priced);
  }
  if (!(held instanceof Promise)) return fit(held, priced);
  return held.then(
    (amount) => fit(amount, priced),
    (thrown: unknown) => takeLess(thrown, wanted, priced),
  );
}

/** Most requests have what they can cost at most, so that less than that is seldom worked out. */
class WantedCost implements Wanted {
  readonly mostNanoUsd: bigint;
  readonly #cost: Cost;
  /** Null where less than the most is of no use. */
  readonly #answer: RequestBound['answer'];

  constructor({ bounds, cost, holding: { caller } }: Priced<Asked>) {
    const answer = longestAnswer(bounds);
    this.mostNanoUsd = cost.wholeNanoUsd;
    this.#cost = cost;
    this.#answer = answer?.isAsked === true && caller.strictOutput ? null : answer;
  }

  get leastNanoUsd(): bigint {
    return this.#withEach(leastOutputTokens);
  }

  get fairNanoUsd(): bigint {
    return this.#withEach(fairOutputTokens);
  }

  #withEach(tokens: number): bigint {
    const answer = this.#answer;
    if (answer === null) return this.mostNanoUsd;
    return this.#cost.withOutputNanoUsd(Math.min(tokens, answer.tokens) * answer.choices);
  }
}

/** What is told at once of an input is far above the truth, so that a refusal needs a closer look. */
async function takeLess<Ask extends Asked>(
  thrown: unknown,
  { leastNanoUsd }: Wanted,
  priced: Priced<Ask>,
): Promise<Plans<Ask>> {
  if (!(thrown instanceof FundsError)) throw thrown;
  const { bounds, cost, isCounted } = priced;
  const { facts, services } = priced.holding;
  const hasSome = thrown.availableNanoUsd + thrown.heldNanoUsd > 0n;
  if (!isCounted && hasSome) return take(await counted(priced));
  const affordable = cost.outputFor(thrown.availableNanoUsd) / (longestAnswer(bounds)?.choices ?? 1);
  const known = { affordableTokens: Math.floor(affordable), leastNanoUsd };
  throw describeShortage(thrown, facts, { settings: services.settings, known });
}

async function counted<Ask extends Asked>(priced: Priced<Ask>): Promise<Priced<Ask>> {
  const { endpoint, holding } = priced;
  const bounds: RequestBound[] = [];
  for (const plan of holding.plans) {
    const request = asSent(endpoint, plan, holding);
    bounds.push((await endpoint.countedUsage?.(request, plan)) ?? endpoint.mostUsage(request, plan));
  }
  return { ...priced, bounds, cost: costOf(holding, bounds), isCounted: true };
}

/** Holds the answer to what was set aside for it. */
function fit<Ask extends Asked>(heldNanoUsd: bigint, priced: Priced<Ask>): MaybePromise<Plans<Ask>> {
  const { cost, isCounted, bounds } = priced;
  const { plans } = priced.holding;
  const answer = longestAnswer(bounds);
  if (answer === null || heldNanoUsd >= cost.wholeNanoUsd) return plans;
  const affordable = Math.floor(cost.outputFor(heldNanoUsd) / answer.choices);
  const outputCap = Math.max(affordable, Math.min(leastOutputTokens, answer.tokens));
  const enough = answer.isAsked ? answer.tokens : Math.min(answer.tokens, ampleOutputTokens);
  if (outputCap < enough && !isCounted) return counted(priced).then((closer) => fit(heldNanoUsd, closer));
  const [first, ...others] = plans;
  const capOf = (at: number) => capped(plans[at] ?? first, bounds[at]?.answer ?? null);
  return [capOf(0), ...others.map((_plan, at) => capOf(at + 1))];

  function capped(plan: Plan<Ask>, own: RequestBound['answer']): Plan<Ask> {
    if (own === null || outputCap >= own.tokens) return plan;
    const request = priced.endpoint.capOutput?.(plan.request, outputCap) ?? null;
    return request === null ? plan : { ...plan, request, outputCap };
  }
}

/** Where a payer sees what there is and what to do about it; nothing is shown here that is not there. */
export function topUpUrl({ publicUrl }: GatewaySettings, http: Request | undefined): string {
  const portal = publicUrl ?? (http === undefined ? '' : new URL(http.url).origin);
  return `${portal}/dashboard`;
}

/** For a caller who was refused before the model was known, nothing is affordable. */
const nothingKnown = { affordableTokens: 0, leastNanoUsd: 1n };

/** A budget is raised and not topped up: whose it is, and when it begins anew, in the words of `GET /v1/key`. */
const describeSpent = ({ fund: { budget, resetsAtMs }, balanceNanoUsd }: FundsError) => ({
  ...budget,
  left: writeUsd(balanceNanoUsd),
  resets_at: resetsAtMs == null ? null : new Date(resetsAtMs).toISOString(),
});

/** What is missing, as programs can go by it, and where it can be had. */
export function describeShortage(
  error: FundsError,
  { http }: Pick<RequestFacts, 'http'>,
  { settings, known = nothingKnown }: { settings: GatewaySettings; known?: typeof nothingKnown },
): AppError {
  const { affordableTokens, leastNanoUsd } = known;
  const { code, availableNanoUsd, heldNanoUsd, balanceNanoUsd } = error;
  // It comes free when the requests end that it is set aside for.
  const isHeld = heldNanoUsd > 0n && availableNanoUsd + heldNanoUsd >= leastNanoUsd;
  const sentences = [
    error.message,
    ...(affordableTokens > 0 ? [`${affordableTokens} tokens of output could be paid for.`] : []),
    ...(isHeld
      ? [`Requests under way hold ${writeUsd(heldNanoUsd)} USD of it until they end: try again then.`]
      : []),
  ];
  return new AppError({
    code,
    public: sentences.join(' '),
    cause: error,
    members: {
      affordable_tokens: affordableTokens,
      held: writeUsd(heldNanoUsd),
      balance: writeUsd(balanceNanoUsd),
      top_up_url: topUpUrl(settings, http),
      ...(error.fund.budget === undefined ? {} : { budget: describeSpent(error) }),
    },
    ...(isHeld
      ? { retryable: true, retryAfterSeconds: 1 }
      : error.retryAfterSeconds === undefined
        ? {}
        : { retryAfterSeconds: error.retryAfterSeconds }),
  });
}
