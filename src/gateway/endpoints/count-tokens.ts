/** POST /v1/messages/count_tokens: asks the upstream where it can count, else estimates on the high side. */
import { asAppError } from '../../base/errors.ts';
import { tryParseJson } from '../../protocols/json/fields.ts';
import { messagesErrors } from '../../protocols/messages/errors.ts';
import { messagesClient } from '../../protocols/messages/protocol.ts';
import { readCountRequest } from '../../protocols/messages/request.ts';
import { countTurnTokens } from '../../protocols/token-count/count-turn.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { type Candidate, findCandidates } from '../../routing/index.ts';
import { errorAnswer, wholeAnswer } from '../answer.ts';
import { askUpstream, readAnswerText } from '../ask-upstream.ts';
import { identifyCaller, requireScope } from '../caller.ts';
import { Exchange } from '../exchange.ts';
import { readBodyText } from '../request-body.ts';
import { resolveModel } from '../resolve-model.ts';
import type { GatewayServices } from '../services.ts';
import { translatorBetween } from '../translators.ts';
import { UpstreamCall } from '../upstream-call.ts';
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
  const call = new UpstreamCall(context.services, candidate, { streamed: true });
  const cancel = () => call.cancel();
  context.http.signal.addEventListener('abort', cancel, { once: true });
  context.exchange.callsUpstream(candidate);
  try {
    const chatBody = translatorBetween(messagesClient, protocol.chat).writeRequest(request, upstreamId);
    const body = protocol.writeRequest(chatBody, upstreamId);
    const response = await askUpstream(
      { candidate, call },
      {
        support: { ...support, protocol: protocol.chat },
        stream: false,
        body,
        forwarded:
          protocol.chat.name === messagesClient.name ? messages.ownHeaders(context.http.headers) : {},
      },
    );
    return protocol.readCount(tryParseJson(await readAnswerText(response, call)));
  } catch (thrown) {
    context.services.log.warn('an upstream could not count tokens; they are estimated', {
      provider: candidate.deployment.provider.name,
      errorCode: asAppError(thrown).code,
    });
    return null;
  } finally {
    context.exchange.hasUpstream('failure');
    call.close();
    context.http.signal.removeEventListener('abort', cancel);
  }
}
