import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AssistantBlock, DocumentBlock, UserBlock } from '../turn/blocks.ts';
import type { TurnRequest } from '../turn/request.ts';
import { turnRequest } from '../turn/testing/arbitrary-request.ts';
import type { Tool } from '../turn/tools.ts';
import { countTurnTokens } from './count-turn.ts';
import { png } from './testing/image-files.ts';
import { openTokenizer } from './tokenizer.ts';

const empty: TurnRequest = {
  system: [],
  messages: [],
  tools: [],
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
};

const says = (...content: readonly UserBlock[]): TurnRequest => ({
  ...empty,
  messages: [{ role: 'user', content }],
});
const said = (...content: readonly AssistantBlock[]): TurnRequest => ({
  ...empty,
  messages: [{ role: 'assistant', content }],
});
const text = (words: string): UserBlock => ({ type: 'text', text: words });
const base64 = (mediaType: string, file: Buffer | string) =>
  ({ kind: 'base64', mediaType, data: Buffer.from(file).toString('base64') }) as const;
const document = (source: DocumentBlock['source']): UserBlock => ({ type: 'document', source });

/** A fresh sentence of about a hundred tokens. */
const sentence = 'Every harbour keeps a ledger of the tides. '.repeat(10);
const openaiModel = 'gpt-5';

describe('the estimate', () => {
  test('is at least what the tokeniser counts, and close to it for a model of that tokeniser', async () => {
    const tokenizer = await openTokenizer();
    const exact = tokenizer.count(sentence);
    const estimate = await countTurnTokens(says(text(sentence)), openaiModel);
    expect(estimate).toBeWithin(exact, exact + 30);
  });

  test.each([
    ['claude-sonnet-4-5', 1.2],
    ['anthropic.claude-opus-4-8-v1:0', 1.6],
    ['claude-opus-5-5', 1.6],
    ['gemini-3-pro', 1.25],
    ['meta-llama/llama-4-maverick', 1.25],
    ['gpt-4-turbo', 1.25],
    [undefined, 1.6],
  ])('for %p is higher by what its tokeniser gives more', async (model, factor) => {
    const long = sentence.repeat(100);
    const exact = (await openTokenizer()).count(long);
    const ratio = (await countTurnTokens(says(text(long)), model)) / exact;
    expect(ratio).toBeCloseTo(factor, 1);
  });

  test('grows more with other scripts and with digits, where tokenisers differ most', async () => {
    const of = async (words: string, model?: string) => countTurnTokens(says(text(words.repeat(500))), model);
    const hindi = 'समुद्र का पानी आज शांत है। ';
    expect((await of(hindi, 'claude-sonnet-4-5')) / (await of(hindi, openaiModel))).toBeGreaterThan(1.8);
    const digits = '314159265 ';
    expect((await of(digits, 'qwen3-max')) / (await of(digits, openaiModel))).toBeGreaterThan(2);
  });

  const parts: readonly (readonly [string, TurnRequest])[] = [
    ['system text', { ...empty, system: [{ type: 'text', text: sentence }] }],
    ['a refusal', said({ type: 'refusal', text: sentence })],
    ['thinking', said({ type: 'thinking', text: sentence })],
    ['signed thinking without text', said(thinking('', 500))],
    ['redacted thinking', said({ type: 'redacted_thinking', signature: signature(500) })],
    ['arguments of a tool', said({ type: 'tool_use', id: 't', name: 'note', input: `{"a":"${sentence}"}` })],
    [
      'the result of a tool',
      says({ type: 'tool_result', toolUseId: 't', isError: false, content: [plain()] }),
    ],
    ['a document as text', says(document({ kind: 'text', text: sentence }))],
    ['a text file', says(document(base64('text/markdown', sentence)))],
    ['a document of blocks', says(document({ kind: 'content', content: [plain()] }))],
    ['the title of a document', says({ ...documentOf('a'), title: sentence })],
    ['a file of another kind', says(document(base64('application/msword', Buffer.alloc(400))))],
    ['a function', { ...empty, tools: [{ kind: 'function', name: 'f', description: sentence, schema: {} }] }],
    ['a schema', { ...empty, tools: [{ kind: 'function', name: 'f', schema: { title: sentence } }] }],
    ['a tool with free text', { ...empty, tools: [{ kind: 'custom', name: 'f', format: { d: sentence } }] }],
    ['a tool of the vendor', { ...empty, tools: [{ kind: 'vendor', type: 'v', json: { type: sentence } }] }],
    [
      'the schema of the answer',
      { ...empty, responseFormat: { type: 'json_schema', schema: { title: sentence }, strict: true } },
    ],
  ];
  test.each(parts)('holds %s', async (_, turn) => {
    const rest = await countTurnTokens(empty, openaiModel);
    expect((await countTurnTokens(turn, openaiModel)) - rest).toBeGreaterThan(95);
  });

  test.each([
    ['an image', { type: 'image', source: base64('image/png', png(1024, 1024)) }, 1369],
    ['an image in a result', result({ type: 'image', source: base64('image/png', png(1024, 1024)) }), 1369],
    ['a PDF', document(base64('application/pdf', '%PDF-1.4 <</Type/Page>> <</Type/Page>>')), 6000],
    ['a document elsewhere', document({ kind: 'url', url: 'https://example.test/a.pdf' }), 30_000],
    ['audio of ten seconds', { type: 'audio', source: base64('audio/wav', wav(10)) }, 320],
    ['audio of an unknown kind', { type: 'audio', source: base64('audio/x', Buffer.alloc(40_000)) }, 320],
  ] as const satisfies readonly (readonly [string, UserBlock, number])[])(
    'holds %s, and little more',
    async (_, block, tokens) => {
      const estimate = await countTurnTokens(says(block), 'claude-opus-5');
      expect(estimate).toBeWithin(tokens, tokens + 100);
    },
  );

  test('of tools holds the vendor’s instructions once, and those of its own tools each', async () => {
    const of = (...tools: readonly Tool[]) => countTurnTokens({ ...empty, tools }, 'claude-opus-5');
    const small: Tool = { kind: 'function', name: 'f', schema: {} };
    const search: Tool = { kind: 'vendor', type: 'web_search_20250305', json: {} };
    const [none, one, two, own] = [await of(), await of(small), await of(small, small), await of(search)];
    expect(one - none).toBeGreaterThan(530);
    expect(two - one).toBeLessThan(60);
    expect(own - none).toBeGreaterThan(2600);
  });

  test('of any request is a whole number, and more with the rates for any model than with OpenAI’s', async () => {
    await fc.assert(
      fc.asyncProperty(turnRequest, async (turn) => {
        const highest = await countTurnTokens(turn);
        expect(Number.isSafeInteger(highest)).toBe(true);
        expect(highest).toBeGreaterThanOrEqual(await countTurnTokens(turn, 'claude-sonnet-4-5'));
      }),
    );
  });

  test('grows with every message', async () => {
    await fc.assert(
      fc.asyncProperty(turnRequest, fc.string(), async (turn, words) => {
        const longer = { ...turn, messages: [...turn.messages, ...says(text(words)).messages] };
        expect(await countTurnTokens(longer)).toBeGreaterThan(await countTurnTokens(turn));
      }),
    );
  });

  test('of a long prompt leaves everything else its turns', async () => {
    await openTokenizer();
    let turns = 0;
    let isDone = false;
    const others = (): void => {
      turns += 1;
      if (!isDone) setImmediate(others);
    };
    setImmediate(others);
    // Another thread counts, and a few can be counted before this one looks up.
    for (let times = 1500; turns <= 10 && times <= 48_000; times *= 2) {
      await countTurnTokens(says(text(sentence.repeat(times))));
    }
    isDone = true;
    expect(turns).toBeGreaterThan(10);
  });

  test('of more text than any model takes is a token for each character beyond', async () => {
    const [most, more] = [8_000_000, 9_000_000];
    const of = (characters: number) => countTurnTokens(says(text(' '.repeat(characters))), openaiModel);
    expect((await of(more)) - (await of(most))).toBeWithin(990_000, 1_010_000);
  });
});

function plain() {
  return { type: 'text', text: sentence } as const;
}

function documentOf(words: string) {
  return { type: 'document', source: { kind: 'text', text: words } } as const;
}

function result(part: Extract<UserBlock, { type: 'image' }>): UserBlock {
  return { type: 'tool_result', toolUseId: 't', isError: false, content: [part] };
}

function signature(characters: number) {
  return { origin: 'anthropic', value: 'A'.repeat(characters) } as const;
}

function thinking(words: string, characters: number): AssistantBlock {
  return { type: 'thinking', text: words, signature: signature(characters) };
}

/** Silence, 8000 samples a second. */
function wav(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * 8000);
  const header = Buffer.alloc(44);
  header.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
