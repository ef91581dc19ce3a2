/** Writes a ZIP while its files are still being read: no more of it is in memory than goes through. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipFile {
  /** With slashes for folders. */
  readonly name: string;
  readonly content: AsyncIterable<string>;
}

interface Written {
  readonly name: Buffer;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly plainBytes: number;
  readonly offset: number;
}

/** Of the format without its extension for larger ones. */
const mostBytes = 0xffff_ffff;
/** Deflated; sizes and checksum follow behind the content; names are UTF-8. */
const flags = 0x0808;
const deflated = 8;
const version = 20;

/**
 * Deflating is off the main thread. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3 (6.3.10)
 * @throws RangeError for more than four gigabytes.
 */
export async function* writeZip(files: AsyncIterable<ZipFile>, madeAt: Date): AsyncGenerator<Uint8Array> {
  const stamp = stampOf(madeAt);
  const all: Written[] = [];
  let offset = 0;
  for await (const { name, content } of files) {
    const named = Buffer.from(name);
    const header = headerOf(named, stamp);
    yield header;
    let [checksum, plainBytes, packedBytes] = [0, 0, 0];
    const plain = (async function* () {
      for await (const text of content) {
        const bytes = Buffer.from(text);
        checksum = crc32(bytes, checksum);
        plainBytes += bytes.length;
        yield bytes;
      }
    })();
    for await (const packed of deflate(plain)) {
      packedBytes += packed.length;
      yield packed;
    }
    yield record([
      [0x0807_4b50, 4],
      [checksum, 4],
      [packedBytes, 4],
      [plainBytes, 4],
    ]);
    all.push({ name: named, checksum, packedBytes, plainBytes, offset });
    offset += header.length + packedBytes + 16;
    if (offset > mostBytes || plainBytes > mostBytes) throw new RangeError('a ZIP of more than 4 GB');
  }
  let directoryBytes = 0;
  for (const file of all) {
    const entry = entryOf(file, stamp);
    directoryBytes += entry.length;
    yield entry;
  }
  yield record([
    [0x0605_4b50, 4],
    [0, 4],
    [all.length, 2],
    [all.length, 2],
    [directoryBytes, 4],
    [offset, 4],
    [0, 2],
  ]);
}

async function* deflate(plain: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packer = createDeflateRaw();
  const whole = pipeline(Readable.from(plain), packer);
  // What went wrong is thrown by the reading below, or at the end.
  whole.catch(() => undefined);
  for await (const packed of packer) yield packed;
  await whole;
}

function headerOf(name: Buffer, stamp: number): Buffer {
  const fields = record([
    [0x0403_4b50, 4],
    [version, 2],
    [flags, 2],
    [deflated, 2],
    [stamp, 4],
    [0, 4],
    [0, 4],
    [0, 4],
    [name.length, 2],
    [0, 2],
  ]);
  return Buffer.concat([fields, name]);
}

function entryOf({ name, checksum, packedBytes, plainBytes, offset }: Written, stamp: number): Buffer {
  const fields = record([
    [0x0201_4b50, 4],
    [version, 2],
    [version, 2],
    [flags, 2],
    [deflated, 2],
    [stamp, 4],
    [checksum, 4],
    [packedBytes, 4],
    [plainBytes, 4],
    [name.length, 2],
    [0, 2],
    [0, 2],
    [0, 2],
    [0, 2],
    [0, 4],
    [offset, 4],
  ]);
  return Buffer.concat([fields, name]);
}

function record(fields: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of fields) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}

/** Time and date as the format has them, in steps of two seconds. */
function stampOf(at: Date): number {
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 0x1_0000 + time;
}
