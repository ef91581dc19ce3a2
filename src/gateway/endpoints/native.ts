/** POST /v1/native/responses: byte for byte to services behind OAuth, streamed through. */
import type { Caller } from '../../identity/index.ts';
import { nativeErrors } from '../../protocols/native/errors.ts';
import { readNativeRequest } from '../../protocols/native/request.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import { askUpstream } from '../ask-upstream.ts';
import type { Attempt, Endpoint, Served } from '../endpoint.ts';
import { estimateUsage } from '../estimate.ts';
import { openStream } from '../open-stream.ts';
import { readBodyText } from '../request-body.ts';
import { UpstreamFailedError } from '../upstream-failed-error.ts';

/** Document 1's header of highest precedence; the service keeps a session's cache by it. */
const sessionHeader = 'x-session-id';

export const native: Endpoint<InferenceRequest> = {
  path: '/v1/native/responses',
  modelType: 'chat',
  errors: nativeErrors,
  readRequest: async (http, services) => readNativeRequest(await readBodyText(http, services)),
  canServe: (supports) => supports.native !== undefined,
  attempt: passOn,
};

/** A credential that is refused though it seemed to work is renewed once. */
async function passOn(attempt: Attempt<InferenceRequest>): Promise<Served> {
  const { call } = attempt;
  const secret = await call.unlessCancelled(attempt.freshSecret());
  try {
    return await ask(attempt, secret);
  } catch (thrown) {
    if (!isRejection(thrown)) throw thrown;
    const renewed = await call.unlessCancelled(attempt.freshSecret(secret));
    if (renewed === secret) throw thrown;
    return ask(attempt, renewed);
  }
}

async function ask(
  { request, caller, candidate, call, headers }: Attempt<InferenceRequest>,
  secret: string | null,
): Promise<Served> {
  const { native: support } = candidate.supports;
  if (support === undefined) throw new Error('a provider without a native service was taken for one');
  const translator = support.protocol.passthrough;
  const session = headers.get(sessionHeader);
  const response = await askUpstream(
    { candidate: { ...candidate, secret }, call },
    {
      support,
      stream: true,
      body: request.text,
      forwarded: session === null ? {} : { session_id: sessionOf(caller, session) },
    },
  );
  return openStream(response, {
    call,
    translator: translator.openStream(request),
    secret,
    readComplaint: translator.readComplaint,
    estimate: (generatedCharacters) => estimateUsage(request, generatedCharacters),
  });
}

/** The account behind is shared, so that the same word of two callers must not mean the same session. */
function sessionOf({ keyId }: Caller, session: string): string {
  return Bun.hash.xxHash64(`${keyId}:${session}`).toString(16).padStart(16, '0');
}

const isRejection = (thrown: unknown): boolean =>
  thrown instanceof UpstreamFailedError && thrown.failure.isUnauthorised === true;
