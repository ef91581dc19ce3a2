/**
 * What a model thought and did not show, of an answer that was cut before its upstream told its counts: by the time that
 * the upstream worked, at a pace that was measured. README.md has the rule and its bounds.
 */
import type { TokenUsage } from '../base/token-usage.ts';
import type { Deployment, Model } from '../catalogue/index.ts';
import type { JsonObject } from '../protocols/json/fields.ts';
import { readBounds } from '../protocols/request-bounds.ts';
import { readSentReasoning } from '../protocols/translate/sent-reasoning.ts';
import type { InferenceRequest } from '../protocols/translator.ts';
import type { UpstreamCall } from '../upstream/index.ts';

/** What is measured is an answer of some length. */
const leastMs = 1000;
const leastTokens = 100;
/** Of the mean that a new measure makes up. */
const newShare = 0.2;
/** A client that made its stream wait this much of the time says nothing of the upstream's pace. */
const mostIdleShare = 0.2;
/** Deployments that are remembered, the oldest out first. */
const mostDeployments = 10_000;

/** Tokens a second, by deployment. */
export class GenerationRates {
  readonly #rates = new Map<string, number>();

  of(deployment: Deployment): number | null {
    return this.#rates.get(nameOf(deployment)) ?? null;
  }

  /** @param answer counted by its upstream; `idleMs` of its time the client took for itself. */
  learn(deployment: Deployment, answer: { outputTokens: number; ms: number; idleMs: number }): void {
    const { outputTokens, ms, idleMs } = answer;
    if (ms < leastMs || outputTokens < leastTokens || idleMs > ms * mostIdleShare) return;
    const rate = (outputTokens * 1000) / ms;
    const name = nameOf(deployment);
    const before = this.#rates.get(name);
    if (before === undefined && this.#rates.size >= mostDeployments) this.#forgetOldest();
    this.#rates.set(name, before === undefined ? rate : before + (rate - before) * newShare);
  }

  #forgetOldest(): void {
    for (const name of this.#rates.keys()) {
      this.#rates.delete(name);
      return;
    }
  }
}

const nameOf = ({ provider, upstreamId }: Deployment): string => `${provider.id} ${upstreamId}`;

/** Where nothing was measured. */
const cautiousTokensPerSecond = 20;
/** Until a model begins to generate. */
const usualWaitMs = 1000;
/** Where nobody says how long an answer can be. */
const mostUnboundedTokens = 32_000;

interface Asked {
  readonly request: InferenceRequest;
  /** The protocol that it came in. */
  readonly client: string;
  /** The protocol that it was sent in. */
  readonly upstream: string;
  readonly model: Pick<Model, 'maxOutputTokens' | 'contextWindow' | 'capabilities'>;
  /** What was sent; read only when it is needed. */
  readonly sentJson: () => JsonObject;
}

/** What an answer has told until it is cut. */
interface Shown {
  readonly showsThoughts: boolean;
  readonly usageSoFar: TokenUsage | null;
}

/** One request's. */
export class HiddenReasoning {
  readonly #asked: Asked;
  readonly #call: Pick<UpstreamCall, 'candidate' | 'elapsedMs' | 'workedMs'>;
  readonly #rates: GenerationRates;

  constructor(
    asked: Asked,
    {
      call,
      rates,
    }: { call: Pick<UpstreamCall, 'candidate' | 'elapsedMs' | 'workedMs'>; rates: GenerationRates },
  ) {
    this.#asked = asked;
    this.#call = call;
    this.#rates = rates;
  }

  /** An answer is whole, and its upstream counted it. */
  learn(outputTokens: number): void {
    if (outputTokens < leastTokens) return;
    const { candidate, elapsedMs, workedMs } = this.#call;
    const { client, request } = this.#asked;
    if (readBounds(client, request.json).choices > 1) return;
    const idleMs = elapsedMs - workedMs.all;
    this.#rates.learn(candidate.deployment, { outputTokens, ms: elapsedMs, idleMs });
  }

  /**
   * An answer is cut now.
   * @returns the tokens that were hidden, by those that were shown: those are counted later.
   */
  cut({ showsThoughts, usageSoFar }: Shown): (shownTokens: number) => number {
    // Gemini counts its thoughts in each piece, and other hosts may.
    const isCounted = this.#asked.upstream === 'google' && usageSoFar !== null;
    if (isCounted || (usageSoFar?.reasoningTokens ?? 0) > 0) return () => 0;
    const { beforeContent, all } = this.#call.workedMs;
    const measured = this.#rates.of(this.#call.candidate.deployment);
    return (shownTokens) => {
      const room = this.#roomFor(shownTokens, showsThoughts);
      if (room <= 0) return 0;
      if (measured !== null) return bounded((measured * all) / 1000 - shownTokens, room);
      const afterMs = all - beforeContent;
      const isPaceShown = afterMs >= leastMs && shownTokens >= leastTokens;
      const perSecond = isPaceShown ? (shownTokens * 1000) / afterMs : cautiousTokensPerSecond;
      return bounded((perSecond * (beforeContent - usualWaitMs)) / 1000, room);
    };
  }

  /** How many tokens can have been hidden at most. */
  #roomFor(shownTokens: number, showsThoughts: boolean): number {
    const { request, client, upstream, model, sentJson } = this.#asked;
    const { upstreamId } = this.#call.candidate.deployment;
    const reasons = model.capabilities.some((each) => each === 'reasoning' || each === 'thinking');
    const sent = { upstream, model: upstreamId, json: sentJson(), reasons };
    const { hides, budgetTokens } = readSentReasoning(sent);
    if (hides === 'nothing' || (hides === 'unless shown' && showsThoughts)) return 0;
    const { outputTokens, choices } = readBounds(client, request.json);
    const mostOfModel = model.maxOutputTokens ?? model.contextWindow ?? mostUnboundedTokens;
    const most = Math.min(outputTokens ?? mostOfModel, mostOfModel) * choices;
    return Math.min(most - shownTokens, (budgetTokens ?? most) * choices);
  }
}

const bounded = (tokens: number, most: number): number => Math.round(Math.max(0, Math.min(tokens, most)));
