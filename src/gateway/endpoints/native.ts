/** POST /v1/native/responses: byte for byte to services behind OAuth, streamed through. */
import type { Caller } from '../../identity/index.ts';
import { nativeErrors, readNativeRequest } from '../../protocols/native/protocol.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { askUpstream, openStream } from '../../upstream/index.ts';
import { type Asking, inferenceScopes, type PaidEndpoint, type Served } from '../endpoint.ts';
import { estimateUsage } from '../estimate.ts';
import { readBodyText, requireOpenMembers } from '../request-body.ts';

/** The header of highest precedence for sessions; the service keeps a session's cache by it. */
const sessionHeader = 'x-session-id';

export const native: PaidEndpoint<InferenceRequest> = {
  kind: 'paid',
  method: 'POST',
  path: '/v1/native/responses',
  otherPaths: ['/v1/codex/responses'],
  scopes: inferenceScopes,
  modelType: 'chat',
  errors: nativeErrors,
  readRequest: async ({ http }, services) => readNativeRequest(await readBodyText(http, services)),
  canServe: (supports) => supports.native !== undefined,
  ask: passOn,
};

async function passOn({ request, caller, call, headers }: Asking<InferenceRequest>): Promise<Served> {
  const { native: support } = call.candidate.supports;
  if (support === undefined) throw new Error('a provider without a native service was taken for one');
  const translator = support.protocol.passthrough;
  requireOpenMembers(request.json, call);
  const session = headers.get(sessionHeader);
  const response = await askUpstream(call, {
    support,
    stream: true,
    body: request.text,
    forwarded: session === null ? {} : { session_id: sessionOf(caller, session) },
  });
  return openStream(response, {
    call,
    translator: translator.openStream(request),
    readComplaint: translator.readComplaint,
    estimate: (generatedCharacters) => estimateUsage(request, generatedCharacters),
  });
}

/** The account behind is shared, so that the same word of two callers must not mean the same session. */
function sessionOf({ keyId }: Caller, session: string): string {
  return Bun.hash.xxHash64(`${keyId}:${session}`).toString(16).padStart(16, '0');
}
