/**
 * Rescue of streamed answers: when one breaks off that its caller wants to have whole, the rest is asked for, of the next
 * who can serve the request. README.md ("Rescue") has the rules and their bounds.
 */
import { AppError, describeThrown } from '../base/errors.ts';
import type { TokenUsage } from '../base/token-usage.ts';
import { type PricesInEffect, priceAt } from '../catalogue/index.ts';
import type { Caller } from '../identity/index.ts';
import type { InferenceRequest } from '../protocols/translator.ts';
import { type Candidate, type Route, type UpstreamFailure, unservableFailure } from '../routing/index.ts';
import { type Abandoned, attempt, type OpenStream } from '../upstream/index.ts';
import { factsOf } from './admit.ts';
import type { Asked, Asking, RestOfStream, RestTerms, StreamAnswered } from './endpoint.ts';
import { type ChargedUsage, type StreamEstimate, UncountedUsage, usageOfStream } from './estimate.ts';
import { holdCost } from './hold.ts';
import type { Plan } from './plans.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';

/** Fewer are not worth asking for. */
const leastTokens = 16;
/** Each has a long prompt to be paid for, by whoever runs this gateway where nothing comes of it. */
const mostTries = 3;

export type Rescued =
  | { readonly kind: 'answer'; readonly stream: OpenStream; readonly estimate: StreamEstimate }
  /** Nobody goes on. @property usage of what broke off. */
  | { readonly kind: 'none'; readonly usage: ChargedUsage }
  /** The client has gone meanwhile. @property usage of the last who was asked. */
  | { readonly kind: 'abandoned'; readonly usage: ChargedUsage };

export interface StreamRescue {
  /** Told at once, and without a cost for those who want none. */
  fits(failure: UpstreamFailure): boolean;
  /** Never throws. */
  goOn(failure: UpstreamFailure): Promise<Rescued>;
  /** Nobody waits for it any more. */
  abandon(): void;
}

const wordsOf: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  '1': true,
  off: false,
  false: false,
  '0': false,
};

/**
 * What the request says, else its key; null where that is left to the model.
 * @throws AppError invalid_parameter for a header that says neither.
 */
export function readRescue(headers: Headers, { rescue }: Caller): boolean | null {
  const said = headers.get('x-sluice-rescue');
  if (said === null) return rescue;
  const wanted = wordsOf[said.trim().toLowerCase()];
  if (wanted !== undefined) return wanted;
  throw new AppError({
    code: 'invalid_parameter',
    public: 'The header x-sluice-rescue must be "on" or "off".',
    param: 'x-sluice-rescue',
  });
}

const ofAnotherModel = unservableFailure(
  new AppError({ code: 'no_provider', public: 'Another model does not go on with an answer.' }),
);

export interface RescueParts {
  readonly broken: Pick<StreamAnswered, 'stream' | 'estimate'>;
  readonly rest: RestOfStream;
  readonly route: Route;
  /** Of the model that began to answer. */
  readonly plan: Plan<Asked>;
  readonly caller: Caller;
  readonly http: Request;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

interface Failed {
  readonly failure: UpstreamFailure;
  readonly wasAsked: boolean;
}

export class Rescue implements StreamRescue {
  readonly #parts: RescueParts;
  readonly #gone = new AbortController();

  constructor(parts: RescueParts) {
    this.#parts = parts;
  }

  fits({ canFailOver }: UpstreamFailure): boolean {
    const { rest, http } = this.#parts;
    return canFailOver && rest.isContinuable && !http.signal.aborted;
  }

  abandon(): void {
    this.#gone.abort();
  }

  async goOn(failure: UpstreamFailure): Promise<Rescued> {
    const rescued = await this.#askOnAndOn(failure);
    this.#parts.services.metrics.rescued(rescued.kind);
    return rescued;
  }

  async #askOnAndOn(failure: UpstreamFailure): Promise<Rescued> {
    const { facts, services, route } = this.#parts;
    const { requestId, candidate: first } = facts;
    // Whoever is tried next is no part of what the first one is paid.
    const paidBefore = facts.prices.current();
    let usage = usageOfStream(this.#parts.broken, { requestId, log: services.log });
    facts.brokeOff(failure.error.code);
    try {
      usage = await counted(usage);
      const capTokens = await this.#prepare(usage.outputTokens);
      if (capTokens === 'none') return { kind: 'none', usage };
      services.log.warn('answer broke off', {
        requestId,
        errorCode: failure.error.code,
        ...(first === undefined ? {} : { provider: first.deployment.provider.name }),
        ...(failure.error.internal === undefined ? {} : { detail: failure.error.internal }),
      });
      const terms = { after: failure.error.code, usageBefore: usage, capTokens };
      let tries = 0;
      requireOpen(facts);
      for (let isAsked = route.brokeOff(failure); isAsked; ) {
        const { candidate } = route;
        if (candidate === null) break;
        // A model that the request falls back on would say something else.
        if (!this.#parts.plan.candidates.includes(candidate)) {
          isAsked = route.failed(ofAnotherModel);
          continue;
        }
        const result = await this.#ask(candidate, terms, paidBefore);
        if (!('failure' in result)) return result;
        // Until somebody goes on, the first one's prices hold, should the request end meanwhile.
        facts.candidate = first;
        if (result.wasAsked) tries += 1;
        // A model that does not go on says nothing of its health, and does not with another credential either.
        const isAlike = result.failure.blamed === 'nobody' ? ({ isAlike: true } as const) : {};
        const canFailOver = result.failure.canFailOver && tries < mostTries;
        isAsked = route.failed({ ...result.failure, ...isAlike, canFailOver });
      }
    } catch (thrown) {
      services.log.warn('the rest of an answer could not be asked for', {
        requestId,
        detail: describeThrown(thrown),
      });
    }
    // What was delivered is the first one's, at its prices.
    facts.candidate = first;
    return { kind: 'none', usage };
  }

  /** @returns how long the rest may be; `none` where so little is left that it is not asked for. */
  async #prepare(usedTokens: number): Promise<number | null | 'none'> {
    const { rest, caller, plan, facts, services } = this.#parts;
    const left = rest.tokensLeft(usedTokens);
    if (left !== null && left < leastTokens) return 'none';
    requireOpen(facts);
    const further = { ...plan, request: rest.request(left), outputCap: null };
    const [{ outputCap }] = await holdCost(rest.endpoint, { plans: [further], caller, facts, services });
    return outputCap ?? left;
  }

  async #ask(
    candidate: Candidate,
    terms: RestTerms,
    paidBefore: PricesInEffect | null,
  ): Promise<Rescued | Failed> {
    const { caller, plan, http, facts, services, route, rest } = this.#parts;
    const { model } = plan;
    const { isLast, isRetry, contentWithinMs } = route;
    const signal = AbortSignal.any([http.signal, this.#gone.signal]);
    if (route.pauseMs > 0) await facts.pauses(() => route.pause(signal));
    // Counting what was delivered and holding money for the rest can take long.
    if (signal.aborted) throw new Error('the client has gone');
    const { firstByteMs } = facts;
    const { usageBefore } = terms;
    facts.waits();
    facts.owes = null;
    const prices = priceAt(model, candidate.deployment, facts.arrivedAtMs)?.prices ?? null;
    const asking = { caller, model, facts: factsOf(model), headers: http.headers, services, prices };
    const owes: Asking<InferenceRequest>['owes'] = (asked, done = () => undefined) => {
      facts.owes = { asked, done };
    };
    const result = await attempt(
      {
        candidate,
        services: services.upstream,
        asker: { signal },
        streamed: true,
        isLast,
        isRetry,
        contentWithinMs,
      },
      (call) => rest.ask({ ...asking, owes, call, held: facts.held, rescueRoom: null }, terms),
    );
    if (facts.isSettled && result.kind !== 'failure') result.answer?.stream.call.cancel();
    requireOpen(facts);
    facts.tried(candidate, result.report, route);
    facts.firstByteMs = firstByteMs;
    if (result.kind === 'failure') {
      services.log.warn('upstream failed', {
        requestId: facts.requestId,
        provider: candidate.deployment.provider.name,
        errorCode: result.failure.error.code,
      });
      return { failure: result.failure, wasAsked: result.report !== null };
    }
    const used = result.kind === 'abandoned' ? await usageOf(result, facts) : undefined;
    if (result.kind === 'abandoned' && used === undefined) throw new Error('the client has gone');
    requireOpen(facts);
    facts.prices.brokeOff(usageBefore, paidBefore);
    if (result.kind === 'abandoned') return { kind: 'abandoned', usage: used ?? usageBefore };
    route.answered();
    const { stream, estimate } = result.answer;
    return { kind: 'answer', stream, estimate };
  }
}

/** It can be ended meanwhile, because this process ends: it holds, asks and pays nothing any more. */
function requireOpen({ isSettled }: RequestFacts): void {
  if (isSettled) throw new Error('the request has ended meanwhile');
}

/** Of one who was asked and has not answered: a provider charges for a prompt once it has it. */
async function usageOf(
  { answer, isWithProvider }: Abandoned<StreamAnswered>,
  { owes }: RequestFacts,
): Promise<ChargedUsage | undefined> {
  if (answer !== null) {
    answer.stream.call.cancel();
    return answer.estimate.of(answer.stream.translator);
  }
  return (await isWithProvider()) ? owes?.asked() : undefined;
}

async function counted(usage: ChargedUsage): Promise<TokenUsage> {
  if (!(usage instanceof UncountedUsage)) return usage;
  return usage.count().catch(() => usage.guess());
}
