/** The form that a request uploads: bounded in size and time, and refused before it has all arrived. */
import { BodyPace, declaredLength, tooSlow } from '../../base/bounded-body.ts';
import type { HeldBytes } from '../../base/byte-budget.ts';
import type { Deadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import { brokenForm, readBoundary } from './form-headers.ts';
import { bodyTooLarge, type FormBounds, type FormPart, FormReader, maxFormBytes } from './form-reader.ts';

export interface UploadBounds extends FormBounds {
  readonly deadlines: Deadlines;
  /** Takes what arrives. */
  readonly held: HeldBytes;
}

/**
 * @throws AppError unsupported_content_type, body_too_large, request_timeout, server_busy, malformed_request also when the upload
 *   breaks off.
 */
export async function receiveForm(http: Request, bounds: UploadBounds): Promise<readonly FormPart[]> {
  const boundary = readBoundary(http.headers.get('content-type'));
  refuseCompression(http);
  const declared = declaredLength(http);
  if (declared !== null) {
    if (declared > maxFormBytes(bounds)) throw bodyTooLarge(bounds.maxFileBytes);
    // What is only declared keeps nobody else out.
    bounds.held.requireRoom(declared);
  }
  if (http.body === null) throw brokenForm('it is empty');
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const pace = new BodyPace(bounds.deadlines, () => reject(tooSlow('upload')));
  const stream = http.body.getReader();
  try {
    const form = new FormReader(boundary, bounds);
    return await Promise.race([readForm(stream, form, { ...bounds, pace }), tooLate]);
  } catch (error) {
    // Whoever gave up does not take in the rest.
    stream.cancel().catch(() => undefined);
    throw error;
  } finally {
    pace.stop();
  }
}

async function readForm(
  stream: ReadableStreamDefaultReader<Uint8Array>,
  form: FormReader,
  { pace, held, ...bounds }: UploadBounds & { readonly pace: BodyPace },
): Promise<readonly FormPart[]> {
  let total = 0;
  while (true) {
    const { done, value } = await nextPiece(stream);
    if (done) return form.end();
    total += value.byteLength;
    if (total > maxFormBytes(bounds)) throw bodyTooLarge(bounds.maxFileBytes);
    held.take(value.byteLength);
    form.push(value);
    pace.progressed(total);
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
