/** Bytes put together for audio files that tests make. */

export type Piece = string | Uint8Array | readonly number[];

/** Text stands for its characters as bytes. */
export function join(...pieces: readonly Piece[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece))),
  );
}

export function zeros(count: number): Buffer {
  return Buffer.alloc(count);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

export function u16le(value: number): Buffer {
  return u16(value).reverse();
}

export function u32le(value: number): Buffer {
  return u32(value).reverse();
}

export function u64le(value: number): Buffer {
  return u64(value).reverse();
}
