/** The form that a request uploads: bounded in size and time, and refused before it has all arrived. */
import type { Deadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import { brokenForm, readBoundary } from './form-headers.ts';
import { bodyTooLarge, type FormBounds, type FormPart, FormReader, maxFormBytes } from './form-reader.ts';

export interface UploadBounds extends FormBounds {
  /** For the whole upload to arrive. */
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
}

/**
 * @throws AppError unsupported_content_type, body_too_large, request_timeout, malformed_request also when the upload
 *   breaks off.
 */
export async function receiveForm(http: Request, bounds: UploadBounds): Promise<readonly FormPart[]> {
  const boundary = readBoundary(http.headers.get('content-type'));
  refuseCompression(http);
  if (Number(http.headers.get('content-length')) > maxFormBytes(bounds)) {
    throw bodyTooLarge(bounds.maxFileBytes);
  }
  if (http.body === null) throw brokenForm('it is empty');
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const deadline = bounds.deadlines.start(bounds.timeoutMs, () => reject(timedOut(bounds.timeoutMs)));
  const stream = http.body.getReader();
  try {
    return await Promise.race([readForm(stream, new FormReader(boundary, bounds), bounds), tooLate]);
  } catch (error) {
    // Whoever gave up does not take in the rest.
    stream.cancel().catch(() => undefined);
    throw error;
  } finally {
    deadline.stop();
  }
}

async function readForm(
  stream: ReadableStreamDefaultReader<Uint8Array>,
  form: FormReader,
  bounds: FormBounds,
): Promise<readonly FormPart[]> {
  let total = 0;
  while (true) {
    const { done, value } = await nextPiece(stream);
    if (done) return form.end();
    total += value.byteLength;
    if (total > maxFormBytes(bounds)) throw bodyTooLarge(bounds.maxFileBytes);
    form.push(value);
  }
}

async function nextPiece(stream: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await stream.read();
  } catch (cause) {
    throw brokenForm('the upload broke off', cause);
  }
}

function refuseCompression(http: Request): void {
  const encoding = http.headers.get('content-encoding');
  if (encoding === null || encoding === 'identity') return;
  throw new AppError({
    code: 'unsupported_content_type',
    public: `The request body must be sent uncompressed, not as ${encoding.slice(0, 40)}.`,
  });
}

function timedOut(timeoutMs: number): AppError {
  return new AppError({
    code: 'request_timeout',
    public: `The upload did not arrive within ${timeoutMs / 1000} s.`,
  });
}
