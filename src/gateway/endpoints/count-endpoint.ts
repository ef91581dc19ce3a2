/** Counting tokens: the upstream is asked where it can count, else they are estimated on the high side. */
import { writeUsd } from '../../base/money.ts';
import type { Model } from '../../catalogue/index.ts';
import { tryParseJson } from '../../protocols/json/fields.ts';
import type { ClientProtocol } from '../../protocols/protocol.ts';
import { countTurnTokens } from '../../protocols/token-count/count-turn.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { type Candidate, findCandidates, type UpstreamFailure } from '../../routing/index.ts';
import { askUpstream, attempt, readAnswerText } from '../../upstream/index.ts';
import { translatorBetween } from '../ask-chat.ts';
import { type Arrival, type FreeEndpoint, inferenceScopes, type Question } from '../endpoint.ts';
import { ofServed, wantedModels } from '../plans.ts';
import { readBody } from '../request-body.ts';
import type { ChatEndpoint } from './chat-endpoint.ts';

export interface CountEndpointParts {
  readonly path: string;
  /** The endpoint at which the same request would be answered. */
  readonly chat: ChatEndpoint;
  readonly client: ClientProtocol;
  /** @throws AppError for a body that is not a valid request. */
  readRequest(text: string, arrival: Arrival): InferenceRequest;
  writeCount(tokens: number): object;
}

interface Countable {
  readonly model: Model;
  readonly candidates: readonly Candidate[];
}

type CountQuestion = Question<InferenceRequest, Countable>;

/** Counting costs nothing, so it takes no money and leaves no usage row; it is held to the key's limits. */
export function countEndpoint(parts: CountEndpointParts): FreeEndpoint<InferenceRequest, Countable> {
  const { path, chat } = parts;
  return {
    kind: 'free',
    method: 'POST',
    path,
    scopes: inferenceScopes,
    isLimited: true,
    errors: chat.errors,
    checkHeaders: (headers) => chat.checkHeaders?.(headers),
    readRequest: (reading, services) =>
      readBody(reading, services, (text) => parts.readRequest(text, reading)),
    ...(chat.takesAll === undefined ? {} : { takesAll: chat.takesAll }),
    // The first model that can be served counts, as it would be asked first for an answer.
    findSubject(request, { terms, models, ...planning }) {
      const wanted = wantedModels(chat, { request, terms, models }, planning);
      const find = (model: Model) => ({ model, candidates: findCandidates(model, terms, chat.canServe) });
      return ofServed(wanted, find)[0];
    },
    async answer(question) {
      const native = await countNatively(question, parts);
      const tokens = native ?? (await estimate(question, parts));
      return {
        body: JSON.stringify(parts.writeCount(tokens)),
        headers: {
          'x-sluice-cost-usd': writeUsd(0n),
          'x-sluice-token-count': native === null ? 'estimated' : 'exact',
        },
      };
    },
  };
}

function estimate(
  { request, subject: { candidates } }: CountQuestion,
  { client }: CountEndpointParts,
): Promise<number> {
  return countTurnTokens(client.readRequest(request.json), candidates[0]?.deployment.upstreamId);
}

/** By the provider that would be asked first; null when it cannot count, or does not answer. */
async function countNatively(
  { request, subject, http, facts, services }: CountQuestion,
  { chat, client }: CountEndpointParts,
): Promise<number | null> {
  const [first] = subject.candidates;
  if (first?.supports.countTokens === undefined) return null;
  const pool = first.pool ?? [first];
  // An estimate is there at once, so that nobody further is asked, and nobody who is known to fail.
  const route = services.routes.open(pool, subject.model);
  facts.route = route;
  const { candidate } = route;
  const support = candidate?.supports.countTokens;
  if (candidate === null || support === undefined || route.pauseMs > 0) return null;
  const { protocol } = support;
  const { upstreamId } = candidate.deployment;
  facts.waits();
  // Its first byte is awaited no longer than a stream's, since an estimate is there at once.
  const options = { candidate, services: services.upstream, asker: http, streamed: true };
  const result = await attempt(options, async (call) => {
    const chatBody = translatorBetween(client, protocol.chat).writeRequest(request, upstreamId);
    const isOwn = protocol.chat.name === client.name;
    const response = await askUpstream(call, {
      support: { ...support, protocol: protocol.chat },
      stream: false,
      body: protocol.writeRequest(chatBody, upstreamId),
      forwarded: isOwn ? chat.ownHeaders(http.headers) : {},
    });
    return protocol.readCount(tryParseJson(await readAnswerText(response, call)));
  });
  facts.tried(candidate, result.report);
  if (result.kind === 'answer') return result.answer;
  if (result.kind === 'failure' && isOfAllRequests(result.failure)) route.gaveUp(result.failure);
  services.log.warn('an upstream could not count tokens; they are estimated', {
    provider: candidate.deployment.provider.name,
    errorCode: result.kind === 'failure' ? result.failure.error.code : 'client_closed',
  });
  return null;
}

/**
 * Vendors limit counting by itself, and some hosts do not have it: who counts, which costs nothing, must not keep others
 * from a provider that answers. What a refused key or a host that is not there means holds for every request.
 */
const isOfAllRequests = ({ blamed }: UpstreamFailure): boolean =>
  blamed === 'credential' || blamed === 'provider';
