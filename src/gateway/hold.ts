/**
 * Sets aside what a request can cost before a provider is asked. Where less than the most can be had, the answer is held
 * to what was set aside; where less than the least, or where a strict key cannot have what it asks for, the request is
 * refused with what could be paid. README.md has the rules.
 */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { writeUsd } from '../base/money.ts';
import { type Model, MostCost, type Prices, priceAt } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import { type Admission, exemptAdmission, FundsError, type Wanted } from '../ledger/index.ts';
import type { Candidate } from '../routing/index.ts';
import type { Asked, PaidEndpoint, RequestBound } from './endpoint.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices, GatewaySettings } from './services.ts';

/** An answer that is shorter is of no use, and some upstreams refuse to give it. */
const leastOutputTokens = 16;
/** Most answers are shorter. */
const fairOutputTokens = 4096;
/** An answer without a limit of its caller's is hardly ever longer, so that nothing is counted to allow for more. */
const ampleOutputTokens = 16_384;

interface Holding<Ask> {
  readonly request: Ask;
  readonly caller: Caller;
  readonly model: Model;
  /** Any of them may serve it, each at its own price. */
  readonly candidates: readonly Candidate[];
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

export interface Held<Ask> {
  readonly request: Ask;
  /** Tokens of each answer, where that was lowered to what is paid for. */
  readonly outputCap: number | null;
}

/**
 * @returns the request as it is paid for; later where the wallet is not warm, or the input had to be counted.
 * @throws AppError insufficient_funds or budget_exceeded.
 */
export function holdCost<Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  holding: Holding<Ask>,
): MaybePromise<Held<Ask>> {
  const { request, model, facts } = holding;
  const { admission = exemptAdmission } = facts;
  if (admission === exemptAdmission) return { request, outputCap: null };
  const prices = pricesOfAll(holding);
  const bound = endpoint.mostUsage(request, model);
  const cost = new MostCost(prices, bound.usage);
  if (cost.wholeNanoUsd === 0n) return { request, outputCap: null };
  return take({ holding, endpoint, admission, prices, bound, cost, isCounted: false });
}

function pricesOfAll({ model, candidates, facts }: Holding<Asked>): readonly Prices[] {
  const all: Prices[] = [];
  for (const { deployment } of candidates) {
    const prices = priceAt(model, deployment, facts.arrivedAtMs)?.prices;
    if (prices !== undefined && !all.includes(prices)) all.push(prices);
  }
  return all;
}

/** A request, and the bound of what it uses as far as that is known. */
interface Priced<Ask extends Asked> {
  readonly holding: Holding<Ask>;
  readonly endpoint: PaidEndpoint<Ask>;
  readonly admission: Admission;
  readonly prices: readonly Prices[];
  readonly bound: RequestBound;
  readonly cost: MostCost;
  /** Nothing closer can be said. */
  readonly isCounted: boolean;
}

function take<Ask extends Asked>(priced: Priced<Ask>): MaybePromise<Held<Ask>> {
  const wanted = new WantedCost(priced);
  const takeLessAfter = (thrown: unknown) => takeLess(thrown, wanted, priced);
  let held: MaybePromise<bigint>;
  try {
    held = priced.admission.hold(wanted);
  } catch (thrown) {
    return takeLessAfter(thrown);
  }
  return held instanceof Promise
    ? held.then((amount) => fit(amount, priced), takeLessAfter)
    : fit(held, priced);
}

/** Most requests have what they can cost at most, so that less than that is seldom worked out. */
class WantedCost implements Wanted {
  readonly mostNanoUsd: bigint;
  readonly #cost: MostCost;
  /** Null where less than the most is of no use. */
  readonly #answer: RequestBound['answer'];

  constructor({ bound: { answer }, cost, holding: { caller } }: Priced<Asked>) {
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
): Promise<Held<Ask>> {
  if (!(thrown instanceof FundsError)) throw thrown;
  const { bound, cost, isCounted } = priced;
  const { facts, services } = priced.holding;
  const hasSome = thrown.availableNanoUsd + thrown.heldNanoUsd > 0n;
  if (!isCounted && hasSome) return take(await counted(priced));
  const affordable = cost.outputFor(thrown.availableNanoUsd) / (bound.answer?.choices ?? 1);
  const known = { affordableTokens: Math.floor(affordable), leastNanoUsd };
  throw describeShortage(thrown, facts, { settings: services.settings, known });
}

async function counted<Ask extends Asked>(priced: Priced<Ask>): Promise<Priced<Ask>> {
  const { endpoint, prices } = priced;
  const { request, model } = priced.holding;
  const bound = (await endpoint.countedUsage?.(request, model)) ?? priced.bound;
  return { ...priced, bound, cost: new MostCost(prices, bound.usage), isCounted: true };
}

/** Holds the answer to what was set aside for it. */
function fit<Ask extends Asked>(heldNanoUsd: bigint, priced: Priced<Ask>): MaybePromise<Held<Ask>> {
  const { endpoint, cost, isCounted } = priced;
  const { request } = priced.holding;
  const { answer } = priced.bound;
  const unchanged = { request, outputCap: null };
  if (answer === null || heldNanoUsd >= cost.wholeNanoUsd) return unchanged;
  const affordable = Math.floor(cost.outputFor(heldNanoUsd) / answer.choices);
  const outputCap = Math.max(affordable, Math.min(leastOutputTokens, answer.tokens));
  const enough = answer.isAsked ? answer.tokens : Math.min(answer.tokens, ampleOutputTokens);
  if (outputCap < enough && !isCounted) return counted(priced).then((closer) => fit(heldNanoUsd, closer));
  if (outputCap >= answer.tokens) return unchanged;
  const capped = endpoint.capOutput?.(request, outputCap) ?? null;
  return capped === null ? unchanged : { request: capped, outputCap };
}

/** Where a payer sees what there is and what to do about it; nothing is shown here that is not there. */
export function topUpUrl({ publicUrl }: GatewaySettings, http: Request | undefined): string {
  const portal = publicUrl ?? (http === undefined ? '' : new URL(http.url).origin);
  return `${portal}/dashboard`;
}

/** For a caller who was refused before the model was known, nothing is affordable. */
const nothingKnown = { affordableTokens: 0, leastNanoUsd: 1n };

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
    },
    ...(isHeld
      ? { retryable: true, retryAfterSeconds: 1 }
      : error.retryAfterSeconds === undefined
        ? {}
        : { retryAfterSeconds: error.retryAfterSeconds }),
  });
}
