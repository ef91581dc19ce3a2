/** Bodies read whole, never beyond a bound. */

export class BodyTooLargeError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`a body is larger than ${maxBytes} bytes`);
    this.name = 'BodyTooLargeError';
    this.maxBytes = maxBytes;
  }
}

/**
 * The body as text. A declared length is trusted as far as it is small enough, since the HTTP layer holds the sender to
 * it; the length of a compressed body says nothing of what it unpacks to.
 * @param onProgress called as pieces of a body of unknown length arrive.
 * Rejects with BodyTooLargeError as soon as the bound is known to be passed.
 */
export function readTextWithin(
  message: Request | Response,
  maxBytes: number,
  onProgress?: () => void,
): Promise<string> {
  const declared = message.headers.get('content-length');
  if (declared === null || message.headers.get('content-encoding') !== null) {
    return readPieces(message, maxBytes, onProgress);
  }
  return Number(declared) > maxBytes ? Promise.reject(new BodyTooLargeError(maxBytes)) : message.text();
}

async function readPieces(
  message: Request | Response,
  maxBytes: number,
  onProgress?: () => void,
): Promise<string> {
  if (message.body === null) return '';
  const pieces: Uint8Array[] = [];
  let total = 0;
  const reader = message.body.getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    total += value.byteLength;
    if (total > maxBytes) {
      void reader.cancel();
      throw new BodyTooLargeError(maxBytes);
    }
    pieces.push(value);
    onProgress?.();
  }
  return new TextDecoder().decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
}
