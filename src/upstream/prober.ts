/**
 * Asks those who failed whether they are well again, so that no client's request has to be the first. Nobody else is
 * asked: not who is sound, not who is open still, and no account at its limit, of which a probe would only take more.
 */

import { type Clock, withinTime } from '../base/clock.ts';
import type { AppError } from '../base/errors.ts';
import { Keeper } from '../base/keeper.ts';
import type { Log } from '../base/log.ts';
import type { CatalogueSnapshot, Model } from '../catalogue/index.ts';
import { chatClient } from '../protocols/chat-completions/protocol.ts';
import { tryParseJson } from '../protocols/json/fields.ts';
import { probeTask } from '../providers/index.ts';
import {
  type Candidate,
  candidatesOf,
  connectionFailure,
  type Health,
  timeoutFailure,
  unreachableFailure,
} from '../routing/index.ts';
import { askUpstream, readAnswerText } from './ask.ts';
import { attempt } from './attempt.ts';
import { pinOf } from './outgoing.ts';
import type { UpstreamServices } from './services.ts';

const pauseMs = 5000;
/** In one round; the others have the next. */
const mostAtOnce = 20;
const longestMs = 30_000;
const connectWithinMs = 5000;

export interface ProberParts {
  readonly health: Health;
  readonly snapshot: () => Pick<CatalogueSnapshot, 'models'>;
  readonly services: UpstreamServices;
  readonly clock: Clock;
  readonly log: Log;
}

interface Due {
  readonly candidate: Candidate;
  readonly model: Model;
  readonly blamed: 'provider' | 'deployment' | 'credential';
}

export class Prober {
  readonly #parts: ProberParts;
  readonly #keeper: Keeper;
  #asked = 0;
  #failed = 0;

  /** It begins at once. */
  constructor(parts: ProberParts) {
    this.#parts = parts;
    this.#keeper = new Keeper({
      clock: parts.clock,
      log: parts.log,
      pauseMs,
      failure:
        'those who failed could not be asked whether they are well again; it is tried again in a moment',
      round: (closing) => this.#round(closing),
    });
  }

  get asked(): number {
    return this.#asked;
  }

  get failed(): number {
    return this.#failed;
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }

  async #round(closing: AbortSignal): Promise<void> {
    await Promise.all(this.#findDue().map((due) => this.#probe(due, closing)));
  }

  /** Of each that is due one candidate. */
  #findDue(): readonly Due[] {
    const { health, snapshot } = this.#parts;
    const due = new Map<string, Due>();
    if (health.isAllSound) return [];
    for (const model of snapshot().models) {
      for (const candidate of model.deployments.flatMap(candidatesOf)) {
        const trouble = health.troubleOf(candidate);
        if (trouble?.condition !== 'due' || trouble.blamed === 'account') continue;
        // Nothing cheap tells of other work than answering a chat.
        const isChat = model.type === 'chat' && candidate.supports.chat !== undefined;
        if (trouble.blamed !== 'provider' && !isChat) continue;
        const { blamed } = trouble;
        const name = candidate.names[blamed];
        if (!due.has(name)) due.set(name, { candidate, model, blamed });
        if (due.size >= mostAtOnce) return [...due.values()];
      }
    }
    return [...due.values()];
  }

  async #probe(due: Due, closing: AbortSignal): Promise<void> {
    const { health } = this.#parts;
    const { candidate, blamed } = due;
    const probed = health.probe(candidate);
    const askedAtMs = health.nowMs;
    this.#asked += 1;
    try {
      const failure = await (blamed === 'provider' ? this.#connect(candidate) : this.#ask(due, closing));
      if (closing.aborted) return;
      if (failure === null) {
        health.answered(candidate, askedAtMs, {
          source: 'probe',
          ...(blamed === 'provider' ? { only: blamed } : {}),
        });
        return;
      }
      // It could not be asked so, or there was no room here for its answer: that tells nothing of it.
      if (failure.blamed === 'nobody') return;
      this.#failed += 1;
      health.failed(candidate, { ...failure, source: 'probe' }, askedAtMs);
    } finally {
      health.unprobe(probed);
    }
  }

  /** Whether the host is there; what it answers is for its models and credentials to tell. */
  async #connect(candidate: Candidate) {
    const { outgoing, reachability } = this.#parts.services;
    const { deployment } = candidate;
    try {
      const url = await addressOf(candidate);
      if (url === null) return null;
      const pinned = pinOf(await outgoing.admit(url, deployment.provider));
      const isThere = await reachability.ask(pinned?.url ?? url, connectWithinMs, pinned !== null);
      if (isThere) return null;
      if (pinned !== null) outgoing.notReached(pinned.url);
      return unreachableFailure();
    } catch (error) {
      return connectionFailure(error, { hadAnswer: false });
    }
  }

  /** The smallest answer there is. Nobody pays for it but who runs the service. */
  async #ask({ candidate, model }: Due, closing: AbortSignal) {
    const [support] = candidate.supports.chat ?? [];
    if (support === undefined) return null;
    const { services, clock } = this.#parts;
    const turn = chatClient(clock).readRequest({
      model: model.publicId,
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 16,
    });
    const result = await withinTime(clock, longestMs, (signal) => {
      const asker = { signal: AbortSignal.any([signal, closing]) };
      return attempt({ candidate, services, asker, streamed: false, isLast: true }, async (call) => {
        const body = support.protocol.writeRequest(turn, { id: candidate.deployment.upstreamId });
        const response = await askUpstream(call, { support, stream: false, body });
        return support.protocol.readAnswer(tryParseJson(await readAnswerText(response, call)));
      });
    });
    if (result.kind === 'answer') return null;
    if (result.kind === 'abandoned') return timeoutFailure('first_byte');
    const { failure } = result;
    // What it refuses to answer it has looked at.
    return failure.blamed === 'nobody' && failure.isUnasked !== true && isRefusal(failure.error)
      ? null
      : failure;
  }
}

/** Where its requests go; null for what answers in this process. */
async function addressOf({ target, adapter, deployment, supports }: Candidate): Promise<string | null> {
  const url = target.baseUrl ?? adapter.defaultBaseUrl;
  if (url?.includes('{') !== true) return url;
  // The region is a part of the host, which the kind alone can fill in.
  const [support] = supports.chat ?? [];
  return (await support?.address(probeTask(target, deployment.upstreamId)))?.url ?? null;
}

/** Of the request, by the upstream. */
const isRefusal = ({ status }: AppError): boolean => status >= 400 && status <= 422;
