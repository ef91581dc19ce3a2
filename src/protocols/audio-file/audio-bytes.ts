/** Numbers and marks at places of an audio file, and where a file begins that has tags in front. */

/**
 * Reads beyond the end throw RangeError, which `readDurationMs` takes for a file that is cut off: no length that a file
 * claims for itself is ever trusted with memory, and none leads outside.
 */
export class AudioBytes {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.length = bytes.byteLength;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(at: number): number {
    return this.#view.getUint8(at);
  }

  u16(at: number): number {
    return this.#view.getUint16(at);
  }

  u16le(at: number): number {
    return this.#view.getUint16(at, true);
  }

  u24(at: number): number {
    return (this.#view.getUint16(at) << 8) | this.#view.getUint8(at + 2);
  }

  u32(at: number): number {
    return this.#view.getUint32(at);
  }

  u32le(at: number): number {
    return this.#view.getUint32(at, true);
  }

  i16(at: number): number {
    return this.#view.getInt16(at);
  }

  /** Not exact above 2⁵³, where no file's numbers are. */
  u64(at: number): number {
    return Number(this.#view.getBigUint64(at));
  }

  u64le(at: number): number {
    return Number(this.#view.getBigUint64(at, true));
  }

  float(at: number, bytes: number): number {
    return bytes === 4 ? this.#view.getFloat32(at) : this.#view.getFloat64(at);
  }

  /** Whether the mark stands there; false beyond the end. */
  has(mark: string, at: number): boolean {
    if (at + mark.length > this.length) return false;
    for (let index = 0; index < mark.length; index += 1) {
      if (this.#bytes[at + index] !== mark.charCodeAt(index)) return false;
    }
    return true;
  }

  /** Where the mark stands next, whole before the end that is given; -1 when nowhere. */
  find(mark: string, from: number, end = this.length): number {
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset, Math.min(end, this.length)).indexOf(mark, from, 'latin1');
  }
}

const headerBytes = 10;
const hasFooter = 0x10;

/** 0 without a tag; may lie beyond the end of a file that is cut off. */
export function endOfId3(bytes: AudioBytes): number {
  let at = 0;
  while (bytes.has('ID3', at) && at + headerBytes <= bytes.length) {
    at += headerBytes + syncSafe(bytes, at + 6) + ((bytes.u8(at + 5) & hasFooter) === 0 ? 0 : headerBytes);
  }
  return at;
}

/** Four bytes of seven bits each, so that no tag looks like a frame. */
function syncSafe(bytes: AudioBytes, at: number): number {
  let value = 0;
  for (let index = 0; index < 4; index += 1) value = (value << 7) | (bytes.u8(at + index) & 0x7f);
  return value;
}
