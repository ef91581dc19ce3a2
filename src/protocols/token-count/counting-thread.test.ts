import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { countTexts, findLongerText } from './count-texts.ts';
import { countTurnTokens } from './count-turn.ts';
import { CountingThread, type Part } from './counting-thread.ts';
import { guessTokens } from './guess-tokens.ts';
import { openTokenizer } from './tokenizer.ts';

const tokens = { kind: 'tokens', rates: null } as const;
const textOf = (...texts: readonly string[]): Part[] => texts.map((data) => ({ kind: 'text', data }));
const bounds = { jobs: 10, characters: 1_000_000 };
const open = (workerData: 'dies' | 'leaves' | 'sleeps') => () =>
  new Worker(new URL('./testing/failing-worker.ts', import.meta.url), { workerData });
/** One for all, since each loads the tokeniser; no two of these tests have something under way at once. */
const shared = new Worker(new URL('./count-worker.ts', import.meta.url));
const realWorker = () => shared;
afterAll(() => shared.terminate());

// Loading the tokeniser on a busy machine takes longer than a test may.
beforeAll(async () => {
  await openTokenizer();
  await countTexts(['']);
}, 60_000);

describe('the counting thread', () => {
  test('answers many questions at once, each with its own number', async () => {
    const tokenizer = await openTokenizer();
    const texts = fc.array(fc.array(fc.string({ maxLength: 40 }), { maxLength: 6 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(texts, async (jobs) => {
        const numbers = await Promise.all(jobs.map((job) => countTexts(job)));
        expect(numbers).toEqual(jobs.map((job) => job.reduce((sum, text) => sum + tokenizer.count(text), 0)));
      }),
      { numRuns: 50 },
    );
  });

  test('takes more than one portion at a time, and more than one kind of part', async () => {
    const words = Array.from({ length: 1000 }, (_, index) => `word${index}`);
    const one = await countTexts(['word0']);
    expect(await countTexts(words)).toBeGreaterThan(words.length * one - 1);
    const thread = new CountingThread();
    const data = Buffer.from('a b c').toString('base64');
    const mixed: Part[] = [...textOf('a b c'), { kind: 'text file', data }, { kind: 'pdf', data }];
    expect(await thread.ask(tokens, mixed)).toBe(3006);
  });

  test('finds the first text that is longer', async () => {
    const texts = ['a b c', 'a b c d', 'a b c d e'];
    expect(await findLongerText(texts, 3)).toBe(1);
    expect(await findLongerText(texts, 5)).toBe(-1);
    expect(await findLongerText([], 5)).toBe(-1);
  });

  test('does not let a long text keep a short one waiting', async () => {
    const thread = new CountingThread(undefined, realWorker);
    const order: string[] = [];
    const long = thread.ask(tokens, textOf('tide '.repeat(400_000))).then(() => order.push('long'));
    const short = thread.ask(tokens, textOf('tide')).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  test.each([{ jobs: 1 }, { characters: 8 }])(
    'takes no more than %j at once, and one at least',
    async (few) => {
      const thread = new CountingThread({ ...bounds, ...few }, realWorker);
      const [first, second] = await Promise.all([
        thread.ask(tokens, textOf('a b c d e')),
        thread.ask(tokens, textOf('a b')),
      ]);
      expect([first, second]).toEqual([5, null]);
      expect(await thread.ask(tokens, textOf('a b'))).toBe(2);
    },
  );

  test.each(['dies', 'leaves'] as const)(
    'that %s answers nothing, and another takes its place',
    async (how) => {
      const workers = [open(how), open(how), realWorker];
      const thread = new CountingThread(bounds, () => (workers.shift() ?? realWorker)());
      const asked = ['a', 'b'].map((text) => thread.ask(tokens, textOf(text)));
      expect(await Promise.all(asked)).toEqual([null, null]);
      expect(await thread.ask(tokens, textOf('a'))).toBeNull();
      expect(await thread.ask(tokens, textOf('a b c'))).toBe(3);
    },
  );
});

test('a thread that cannot start answers nothing, and takes no room from the next', async () => {
  let starts = 0;
  const thread = new CountingThread({ jobs: 1, characters: 1 }, () => {
    starts += 1;
    if (starts === 1) throw new Error('no thread left');
    return realWorker();
  });
  expect(await thread.ask(tokens, textOf('a b'))).toBeNull();
  expect(await thread.ask(tokens, textOf('a b c'))).toBe(3);
});

describe('while the thread has too much to do', () => {
  async function busyThread(): Promise<CountingThread> {
    const thread = new CountingThread({ jobs: 1, characters: 1 }, open('sleeps'));
    void thread.ask(tokens, textOf('never answered'));
    return thread;
  }

  const sentence = 'Every harbour keeps a ledger of the tides. '.repeat(50);
  const empty = {
    tools: [],
    parallelToolUse: true,
    stopSequences: [],
    sampling: {},
    stream: false,
    vendor: {},
  };
  const turn = { ...empty, system: [{ type: 'text', text: sentence } as const], messages: [] };

  test('a request is guessed on the high side', async () => {
    const guessed = await countTurnTokens(turn, 'gpt-5', await busyThread());
    const counted = await countTurnTokens(turn, 'gpt-5');
    expect(Number.isSafeInteger(guessed)).toBe(true);
    expect(guessed).toBeWithin(counted, counted * 3);
  });

  test('texts are guessed, and refused only when they are surely too long', async () => {
    const thread = await busyThread();
    expect(await countTexts([sentence], thread)).toBe(guessTokens(sentence));
    expect(await findLongerText(['a', sentence], 10, thread)).toBe(1);
    expect(await findLongerText([sentence], sentence.length, thread)).toBe(-1);
  });
});
