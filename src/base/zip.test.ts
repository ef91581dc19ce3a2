import { expect, test } from 'bun:test';
import { readZip } from './testing/read-zip.ts';
import { writeZip, type ZipFile } from './zip.ts';

const madeAt = new Date(Date.UTC(2031, 4, 6, 7, 8, 10));

async function* of(texts: Iterable<string>): AsyncGenerator<string> {
  yield* texts;
}
async function* filesOf(files: Readonly<Record<string, Iterable<string>>>): AsyncGenerator<ZipFile> {
  for (const [name, texts] of Object.entries(files)) yield { name, content: of(texts) };
}
const whole = async (files: AsyncIterable<ZipFile>) =>
  Buffer.concat(await Array.fromAsync(writeZip(files, madeAt)));

test('what is written is read again, whatever is in it', async () => {
  const files = {
    'profile.json': ['{"name":"Ädä 🦭"}'],
    'folder/empty.csv': [],
    'long.csv': Array.from({ length: 50_000 }, (_, line) => `${line},${line * 7919}\r\n`),
    'ünï.txt': ['', 'a', '', 'b'],
  };
  const read = readZip(await whole(filesOf(files)));
  expect([...read.keys()]).toEqual(Object.keys(files));
  for (const [name, texts] of Object.entries(files)) expect(read.get(name)).toBe(texts.join(''));
  expect(readZip(await whole(filesOf({}))).size).toBe(0);
});

test('files are read while they are written, and no further than is taken', async () => {
  let lines = 0;
  const endless = (function* () {
    for (; ; lines += 1) yield `${crypto.randomUUID()}${crypto.randomUUID()}\n`;
  })();
  let bytes = 0;
  for await (const part of writeZip(filesOf({ endless }), madeAt)) {
    bytes += part.length;
    if (bytes > 1_000_000) break;
  }
  // What goes through is bounded by the buffers on the way.
  expect(lines).toBeLessThan(60_000);
});

test('what a file throws is thrown', async () => {
  const broken = (function* () {
    yield 'a';
    throw new Error('the database is away');
  })();
  await expect(whole(filesOf({ broken }))).rejects.toThrow('the database is away');
});
