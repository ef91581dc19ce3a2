import { beforeAll, expect, test } from 'bun:test';
import { countTexts } from './count-texts.ts';
import { openTokenizer } from './tokenizer.ts';

// Both threads load the tokeniser, which on a busy machine takes longer than a test may.
beforeAll(async () => {
  await openTokenizer();
  await countTexts(['']);
}, 60_000);

const sentence = 'The calm river carries small boats to the mill. ';

test('counts what the tokeniser counts, text by text', async () => {
  const tokenizer = await openTokenizer();
  const texts = ['', 'boat', sentence.repeat(1000), '渡し守'];
  expect(await countTexts(texts)).toBe(texts.reduce((sum, text) => sum + tokenizer.count(text), 0));
});

test.each([
  ['one long text', (times: number) => [sentence.repeat(2000 * times)]],
  ['many short ones', (times: number) => Array.from({ length: 2000 * times }, () => sentence)],
])('lets others run while it counts %s', async (_name, textsOf) => {
  let turns = 0;
  let isCounted = false;
  const takeTurns = () => {
    turns += 1;
    if (!isCounted) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);
  // The texts are counted in another thread, and this one only waits. A few can be counted before it looks up once.
  for (let times = 1; turns < 3 && times <= 64; times *= 2) await countTexts(textsOf(times));
  isCounted = true;
  expect(turns).toBeGreaterThanOrEqual(3);
});
