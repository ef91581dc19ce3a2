/**
 * POST /v1/native/responses: to services behind OAuth as the request came, but for the name of its model and a bound on
 * its output where these must differ; the stream comes back as the service writes it.
 */
import type { Caller } from '../../identity/index.ts';
import { editMembers } from '../../protocols/json/text.ts';
import { nativeErrors, readNativeRequest } from '../../protocols/native/protocol.ts';
import { withOutputCap } from '../../protocols/request-bounds.ts';
import { readResponsesTurn } from '../../protocols/responses/read-request.ts';
import { askedTier } from '../../protocols/translate/sent-extras.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { askUpstream, openStream } from '../../upstream/index.ts';
import { type Asking, inferenceScopes, type PaidEndpoint, type Served } from '../endpoint.ts';
import { ChatEstimate } from '../estimate.ts';
import { expectedChatTokens } from '../expected-tokens.ts';
import { HiddenReasoning } from '../hidden-reasoning.ts';
import { countedChatUsage, mostChatUsage } from '../most-usage.ts';
import { readBody, requireOpenMembers } from '../request-body.ts';
import { readGivenSession, readKnownSession } from '../session.ts';
import { heldState, notingState } from '../upstream-state.ts';

/** Whoever serves it is sent it as it came. */
const passed = { isPassed: true, isAskedInChat: false };

export const native: PaidEndpoint<InferenceRequest> = {
  kind: 'paid',
  method: 'POST',
  path: '/v1/native/responses',
  otherPaths: ['/v1/codex/responses'],
  scopes: inferenceScopes,
  modelType: 'chat',
  errors: nativeErrors,
  readRequest: (reading, services) => readBody(reading, services, readNativeRequest),
  canServe: (supports) => supports.native !== undefined,
  expectedTokens: expectedChatTokens('native'),
  mostUsage: (request, { model }) => mostChatUsage('native', request, { model, ...passed }),
  countedUsage: (request, { model }) =>
    countedChatUsage('native', request, { model, ...passed, readTurn: readResponsesTurn }),
  capOutput: (request, tokens) => withOutputCap('native', request, tokens),
  heldState,
  ask: passOn,
};

async function passOn(asking: Asking<InferenceRequest>): Promise<Served> {
  const { request, caller, call, headers, services } = asking;
  const { native: support } = call.candidate.supports;
  if (support === undefined) throw new Error('a provider without a native service was taken for one');
  requireOpenMembers(request.json, call);
  const { openStream: openTranslator, readComplaint } = support.protocol.passthrough;
  const translator = openTranslator(notingState(asking));
  const model = call.candidate.deployment.upstreamId;
  const { publicId, aliases } = asking.model;
  const isNamed = request.model === publicId || aliases.includes(request.model ?? '');
  // It goes on as it came, but with its model where another one answers than it names.
  const json = isNamed ? request.json : { ...request.json, model };
  const body = isNamed
    ? request.text
    : editMembers(request.text, new Map([['model', JSON.stringify(model)]]), request.json);
  const tier = askedTier({ upstream: support.protocol.name, model, body, json });
  const asked = { request, client: 'native', upstream: 'native', model: asking.model, sentJson: () => json };
  const hidden = new HiddenReasoning(asked, { call, rates: services.rates });
  const estimate = new ChatEstimate(request, { model, readTurn: readResponsesTurn, tier, hidden });
  asking.owes(() => estimate.of(translator));
  const session = readGivenSession(headers, json) ?? readKnownSession(headers, json);
  const response = await askUpstream(call, {
    support,
    stream: true,
    body,
    forwarded: session === null ? {} : { session_id: sessionOf(caller, session.id) },
  });
  return {
    kind: 'stream',
    stream: await openStream(response, { call, translator, askedLength: request.text.length, readComplaint }),
    estimate,
  };
}

/** The service keeps a session's cache by it. The account behind is shared, so that the same word of two callers must not mean the same session. */
function sessionOf({ keyId }: Caller, session: string): string {
  return Bun.hash.xxHash64(`${keyId}:${session}`).toString(16).padStart(16, '0');
}
