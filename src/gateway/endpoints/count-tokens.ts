/** POST /v1/messages/count_tokens: asks the upstream where it can count, else estimates on the high side. */
import { asAppError } from '../../base/errors.ts';
import { tryParseJson } from '../../protocols/json/fields.ts';
import { messagesErrors } from '../../protocols/messages/errors.ts';
import { messagesClient } from '../../protocols/messages/protocol.ts';
import { readCountRequest } from '../../protocols/messages/request.ts';
import { countTurnTokens } from '../../protocols/token-count/count-turn.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { type Candidate, findCandidates } from '../../routing/index.ts';
import { askUpstream, attempt, readAnswerText } from '../../upstream/index.ts';
import { errorAnswer, wholeAnswer } from '../answer.ts';
import { identifyCaller, requireScope } from '../caller.ts';
import { Exchange } from '../exchange.ts';
import { readBodyText } from '../request-body.ts';
import { resolveModel } from '../resolve-model.ts';
import type { GatewayServices } from '../services.ts';
import { translatorBetween } from '../translators.ts';
import { messages } from './messages.ts';

export const countTokensPath = '/v1/messages/count_tokens';

/** Counting costs nothing, so it takes no money and leaves no usage row; it is held to the key's limits. */
export async function countTokens(http: Request, services: GatewayServices): Promise<Response> {
  const exchange = new Exchange(countTokensPath, services);
  try {
    const caller = await identifyCaller(http.headers, services.callers);
    requireScope(caller, ['inference', 'webchat']);
    messages.checkHeaders?.(http.headers);
    const request = readCountRequest(await readBodyText(http, services));
    const model = resolveModel(request, { exchange, caller, endpoint: messages, services });
    const candidates = findCandidates(model, caller, messages.canServe);
    const ticket = services.limiter.admit(caller.keyId, caller);
    exchange.limitedBy(ticket);
    try {
      const native = await countNatively(request, { http, exchange, candidates, services });
      const inputTokens = native ?? (await estimate(request, candidates));
      const body = JSON.stringify({ input_tokens: inputTokens });
      const response = wholeAnswer(exchange, { body, contentType: 'application/json' }, 0n);
      response.headers.set('x-sluice-token-count', native === null ? 'estimated' : 'exact');
      exchange.endRead(200);
      return response;
    } finally {
      ticket.close(0);
    }
  } catch (thrown) {
    const error = asAppError(thrown);
    const response = errorAnswer(exchange, error, messagesErrors);
    exchange.end({ status: error.status, outcome: 'refused', errorCode: error.code });
    return response;
  }
}

function estimate({ json }: InferenceRequest, [candidate]: readonly Candidate[]): Promise<number> {
  return countTurnTokens(messagesClient.readRequest(json), candidate?.deployment.upstreamId);
}

/** By the provider that would be asked first; null when it cannot count, or does not answer. */
async function countNatively(
  request: InferenceRequest,
  context: {
    http: Request;
    exchange: Exchange;
    candidates: readonly Candidate[];
    services: GatewayServices;
  },
): Promise<number | null> {
  const [candidate] = context.candidates;
  const support = candidate?.supports.countTokens;
  if (candidate === undefined || support === undefined) return null;
  const { protocol } = support;
  const { upstreamId } = candidate.deployment;
  const { http, exchange, services } = context;
  exchange.callsUpstream();
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
  exchange.hasUpstream(candidate, result.report);
  if (result.kind === 'answer') return result.answer;
  services.log.warn('an upstream could not count tokens; they are estimated', {
    provider: candidate.deployment.provider.name,
    errorCode: result.kind === 'failure' ? result.failure.error.code : 'client_closed',
  });
  return null;
}
