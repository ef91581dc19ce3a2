/** POST /v1/messages/count_tokens: asks the upstream where it can count, else estimates on the high side. */
import { writeUsd } from '../../base/money.ts';
import { tryParseJson } from '../../protocols/json/fields.ts';
import { messagesErrors } from '../../protocols/messages/errors.ts';
import { messagesClient } from '../../protocols/messages/protocol.ts';
import { readCountRequest } from '../../protocols/messages/request.ts';
import { countTurnTokens } from '../../protocols/token-count/count-turn.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { type Candidate, findCandidates } from '../../routing/index.ts';
import { askUpstream, attempt, readAnswerText } from '../../upstream/index.ts';
import { resolveModel } from '../choose-model.ts';
import { type FreeEndpoint, inferenceScopes, type Question } from '../endpoint.ts';
import { readBodyText } from '../request-body.ts';
import { translatorBetween } from './chat-endpoint.ts';
import { messages } from './messages.ts';

/** Counting costs nothing, so it takes no money and leaves no usage row; it is held to the key's limits. */
export const countTokens: FreeEndpoint<InferenceRequest, readonly Candidate[]> = {
  kind: 'free',
  method: 'POST',
  path: '/v1/messages/count_tokens',
  scopes: inferenceScopes,
  isLimited: true,
  errors: messagesErrors,
  checkHeaders: (headers) => messages.checkHeaders?.(headers),
  readRequest: async ({ http }, services) => readCountRequest(await readBodyText(http, services)),
  findSubject(request, { caller, facts, services }) {
    const snapshot = services.catalogue.current();
    const { model, isAutorouted } = resolveModel(request, messages, { caller, snapshot });
    if (isAutorouted) facts.autoroutedModel = model.publicId;
    return findCandidates(model, caller, messages.canServe);
  },
  async answer(question) {
    const native = await countNatively(question);
    const inputTokens = native ?? (await estimate(question));
    return {
      body: JSON.stringify({ input_tokens: inputTokens }),
      headers: {
        'x-sluice-cost-usd': writeUsd(0n),
        'x-sluice-token-count': native === null ? 'estimated' : 'exact',
      },
    };
  },
};

type CountQuestion = Question<InferenceRequest, readonly Candidate[]>;

function estimate({ request, subject: [candidate] }: CountQuestion): Promise<number> {
  return countTurnTokens(messagesClient.readRequest(request.json), candidate?.deployment.upstreamId);
}

/** By the provider that would be asked first; null when it cannot count, or does not answer. */
async function countNatively({
  request,
  subject,
  http,
  facts,
  services,
}: CountQuestion): Promise<number | null> {
  const [candidate] = subject;
  const support = candidate?.supports.countTokens;
  if (candidate === undefined || support === undefined) return null;
  const { protocol } = support;
  const { upstreamId } = candidate.deployment;
  facts.waits();
  // Its first byte is awaited no longer than a stream's, since an estimate is there at once.
  const options = { candidate, services: services.upstream, asker: http, streamed: true };
  const result = await attempt(options, async (call) => {
    const chatBody = translatorBetween(messagesClient, protocol.chat).writeRequest(request, upstreamId);
    const isOwn = protocol.chat.name === messagesClient.name;
    const response = await askUpstream(call, {
      support: { ...support, protocol: protocol.chat },
      stream: false,
      body: protocol.writeRequest(chatBody, upstreamId),
      forwarded: isOwn ? messages.ownHeaders(http.headers) : {},
    });
    return protocol.readCount(tryParseJson(await readAnswerText(response, call)));
  });
  facts.tried(candidate, result.report);
  if (result.kind === 'answer') return result.answer;
  services.log.warn('an upstream could not count tokens; they are estimated', {
    provider: candidate.deployment.provider.name,
    errorCode: result.kind === 'failure' ? result.failure.error.code : 'client_closed',
  });
  return null;
}
