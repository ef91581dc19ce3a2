/** Takes one request body out of the bytes that follow its head, by length or in HTTP chunks. */
export class MalformedRequest extends Error {}

interface Body {
  readonly bytes: Buffer;
  /** Where the next request begins. */
  readonly nextIndex: number;
}

/** The body, or undefined while some of it is still on its way. */
export function readBody(headers: Readonly<Record<string, string>>, bytes: Buffer): Body | undefined {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked' || length !== undefined) {
      throw new MalformedRequest('the body has no single, clear length');
    }
    return readChunks(bytes);
  }
  const size = length === undefined ? 0 : sizeOf(length, 10);
  return bytes.length < size ? undefined : { bytes: bytes.subarray(0, size), nextIndex: size };
}

function readChunks(bytes: Buffer): Body | undefined {
  const parts: Buffer[] = [];
  let index = 0;
  while (true) {
    const lineEnd = bytes.indexOf('\r\n', index);
    if (lineEnd < 0) return undefined;
    const size = sizeOf(bytes.toString('latin1', index, lineEnd).split(';')[0] ?? '', 16);
    const start = lineEnd + 2;
    if (size === 0) {
      const nextIndex = endOfTrailers(bytes, start);
      return nextIndex === undefined ? undefined : { bytes: Buffer.concat(parts), nextIndex };
    }
    if (bytes.length < start + size + 2) return undefined;
    parts.push(bytes.subarray(start, start + size));
    index = start + size + 2;
  }
}

function endOfTrailers(bytes: Buffer, start: number): number | undefined {
  let index = start;
  while (true) {
    const lineEnd = bytes.indexOf('\r\n', index);
    if (lineEnd < 0) return undefined;
    if (lineEnd === index) return lineEnd + 2;
    index = lineEnd + 2;
  }
}

function sizeOf(text: string, radix: 10 | 16): number {
  const digits = radix === 10 ? /^\d+$/ : /^[\da-f]+$/i;
  if (!digits.test(text.trim())) throw new MalformedRequest(`"${text}" is not a length`);
  return Number.parseInt(text, radix);
}
