/** Reads a ZIP as strictly as a program that opens it: by its directory, with every size and checksum compared. */
import { crc32, inflateRawSync } from 'node:zlib';

export function readZip(bytes: Uint8Array): ReadonlyMap<string, string> {
  const zip = Buffer.from(bytes);
  const end = zip.length - 22;
  if (zip.readUInt32LE(end) !== 0x0605_4b50) throw new Error('no end of a directory');
  const files = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== 0x0201_4b50) throw new Error('no entry of a directory');
    const [checksum, packed, plain] = [16, 20, 24].map((offset) => zip.readUInt32LE(at + offset));
    const nameBytes = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes);
    const local = zip.readUInt32LE(at + 42);
    if (zip.readUInt32LE(local) !== 0x0403_4b50) throw new Error(`no header of ${name}`);
    const begin = local + 30 + zip.readUInt16LE(local + 26);
    const content = inflateRawSync(zip.subarray(begin, begin + (packed ?? 0)));
    if (content.length !== plain || crc32(content) !== checksum) throw new Error(`${name} is another one`);
    files.set(name, content.toString());
    at += 46 + nameBytes;
  }
  if (at !== end) throw new Error('the directory ends elsewhere');
  return files;
}
