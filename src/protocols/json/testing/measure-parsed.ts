/**
 * A program of a test: prints of texts of many kinds what their values are told to take as objects, and by how much the heap
 * grew with them, in bytes. All of them are kept, so that nothing can be taken off.
 */
import { heapStats } from 'bun:jsc';
import { parsedBytes, parseWithinLevels } from '../fields.ts';

const times = (size: number, write: (at: number) => string) =>
  `[${Array.from({ length: size }, (_, at) => write(at)).join()}]`;

const texts = [
  ['empty objects', times(200_000, () => '{}')],
  ['empty lists', times(200_000, () => '[]')],
  ['numbers', times(1_000_000, (at) => String(at % 10))],
  ['texts', times(200_000, (at) => `"text ${at}"`)],
  ['objects of one new name', times(50_000, (at) => `{"n${at}":1}`)],
  ['objects of numbered names', times(50_000, (at) => `{"${at}":1}`)],
  ['an object of many names', `{${Array.from({ length: 100_000 }, (_, at) => `"n${at}":1`).join()}}`],
] as const;

function heapBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}

const kept: unknown[] = [];
const measured = texts.map(([name, text]) => {
  const before = heapBytes();
  const value = parseWithinLevels(text);
  kept.push(value);
  return [name, parsedBytes(value), heapBytes() - before];
});
process.stdout.write(JSON.stringify(measured));
