/** Every endpoint of a started gateway with bodies that have much of one thing: the CPU time of its process. */
import { wavFile } from '../../src/protocols/audio-file/testing/plain-files.ts';
import { openSetting } from '../fuzz/setting.ts';
import type { SluiceProgram } from '../support/program.ts';
import { exponentOf, type Growth, mostExponent } from './measure.ts';

interface EndpointCase {
  readonly path: string;
  readonly shape: string;
  readonly size: number;
  body(size: number): string | FormData;
}

/** The kernel counts in hundredths of a second. */
const negligibleMs = 40;
const seed = 1;

const many = <Item>(size: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: size }, (_, at) => make(at));
const hello = [{ role: 'user', content: 'Hello' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];

interface Endpoint {
  readonly path: string;
  readonly sound: object;
  /** The member that has what a model is to read. */
  readonly said: (text: string) => object;
}

const endpoints: readonly Endpoint[] = [
  {
    path: '/v1/chat/completions',
    sound: { model: 'over-chat', messages: hello },
    said: (text) => ({ messages: [{ role: 'user', content: text }] }),
  },
  {
    path: '/v1/messages',
    sound: { model: 'over-chat', messages: hello, max_tokens: 10 },
    said: (text) => ({ messages: [{ role: 'user', content: text }] }),
  },
  {
    path: '/v1/messages/count_tokens',
    sound: { model: 'over-converse', messages: hello },
    said: (text) => ({ messages: [{ role: 'user', content: text }] }),
  },
  { path: '/v1/responses', sound: { model: 'over-chat', input: 'Hello' }, said: (input) => ({ input }) },
  {
    path: '/v1/native/responses',
    sound: { model: 'relay', input: hello, stream: true },
    said: (text) => ({ input: [{ role: 'user', content: text }] }),
  },
  {
    path: '/v1beta/models/over-chat:generateContent',
    sound: { contents },
    said: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  {
    path: '/v1beta/models/over-chat:streamGenerateContent',
    sound: { contents },
    said: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  {
    path: '/v1beta/models/over-converse:countTokens',
    sound: { contents },
    said: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
  { path: '/v1/embeddings', sound: { model: 'vectors', input: 'Hello' }, said: (input) => ({ input }) },
  {
    path: '/v1/rerank',
    sound: { model: 'ranks-jina', query: 'a river', documents: ['a mill'] },
    said: (text) => ({ documents: [text] }),
  },
  {
    path: '/v1/audio/speech',
    sound: { model: 'voice', input: 'Hello', voice: 'alloy' },
    said: (input) => ({ input }),
  },
];

const texts = [
  ['letters', 'a'],
  ['spaces', ' '],
  ['marks', '!?'],
  ['emoji', '🦥'],
  ['words', 'to the sea '],
] as const;

const ofJson: readonly EndpointCase[] = endpoints.flatMap(({ path, sound, said }) => [
  ...texts.map(
    ([name, unit]): EndpointCase => ({
      path,
      shape: `a long text of ${name}`,
      size: 65_536,
      body: (size) => JSON.stringify({ ...sound, ...said(unit.repeat(size / unit.length)) }),
    }),
  ),
  {
    path,
    shape: 'many members that nobody knows',
    size: 4096,
    body: (size) => JSON.stringify({ ...sound, ...Object.fromEntries(many(size, (at) => [`m${at}`, at])) }),
  },
  {
    path,
    shape: 'many wrong values',
    size: 8192,
    body: (size) =>
      JSON.stringify({
        ...sound,
        ...Object.fromEntries(
          ['messages', 'input', 'contents', 'documents', 'tools'].map((name) => [name, many(size, () => 7)]),
        ),
      }),
  },
  { path, shape: 'an object that does not end', size: 65_536, body: (size) => '{"a":'.repeat(size / 5) },
  { path, shape: 'space', size: 262_144, body: (size) => ' '.repeat(size) + JSON.stringify(sound) },
]);

const ofLists: readonly EndpointCase[] = [
  ...['/v1/chat/completions', '/v1/messages', '/v1/responses'].flatMap((path) =>
    ['over-chat', 'over-messages', 'over-responses', 'over-google', 'over-converse'].map(
      (model): EndpointCase => ({
        path,
        shape: `a long stream ${model}`,
        size: 512,
        body: (size) =>
          JSON.stringify({
            model,
            stream: true,
            ...(path === '/v1/responses'
              ? { input: 'Hello', max_output_tokens: size }
              : { messages: hello, max_tokens: size }),
          }),
      }),
    ),
  ),
  {
    path: '/v1/embeddings',
    shape: 'many inputs',
    size: 256,
    body: (size) => JSON.stringify({ model: 'vectors', input: many(size, (at) => `input ${at}`) }),
  },
  {
    path: '/v1/embeddings',
    shape: 'many ids of tokens',
    size: 8192,
    body: (size) => JSON.stringify({ model: 'vectors', input: many(size, (at) => at) }),
  },
  {
    path: '/v1/rerank',
    shape: 'many documents',
    size: 125,
    body: (size) =>
      JSON.stringify({ model: 'ranks-jina', query: 'q', documents: many(size, (at) => `document ${at}`) }),
  },
  {
    path: '/v1/messages/count_tokens',
    shape: 'many messages',
    size: 2048,
    body: (size) =>
      JSON.stringify({
        model: 'over-converse',
        messages: many(size, (at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `word ${at}` })),
      }),
  },
];

const forms: readonly (readonly [string, number, (form: FormData, size: number) => void])[] = [
  ['much sound', 262_144, (form, size) => form.set('file', fileOf(wavFile({ seconds: size / 16_000 })))],
  ['much that is no sound', 262_144, (form, size) => form.set('file', fileOf(Buffer.alloc(size, 'OggS')))],
  [
    'much that looks like frames',
    262_144,
    (form, size) => form.set('file', fileOf(Buffer.alloc(size, 0xff))),
  ],
  [
    'much that looks like boundaries',
    262_144,
    (form, size) => form.set('file', fileOf(Buffer.alloc(size, '\r\n--'))),
  ],
  ['a long prompt', 32_768, (form, size) => form.set('prompt', 'a '.repeat(size / 2))],
  ['many fields', 512, (form, size) => many(size, (at) => form.append(`f${at}`, 'x'))],
];

const ofForms: readonly EndpointCase[] = forms.map(([shape, size, fill]) => ({
  path: '/v1/audio/transcriptions',
  shape,
  size,
  body(wanted) {
    const form = new FormData();
    form.append('model', 'ears');
    form.append('file', fileOf(wavFile({ seconds: 1 })));
    fill(form, wanted);
    return form;
  },
}));

function fileOf(bytes: Uint8Array): File {
  return new File([new Uint8Array(bytes)], 'speech.wav');
}

const cases: readonly EndpointCase[] = [...ofJson, ...ofLists, ...ofForms];

export interface EndpointOptions {
  readonly doublings: number;
  readonly tries: number;
  isWanted(group: string, shape: string): boolean;
  onMeasured(growth: Growth): void;
}

export async function measureEndpoints(options: EndpointOptions): Promise<readonly Growth[]> {
  const { doublings, tries, isWanted, onMeasured } = options;
  const wanted = cases.filter(({ path, shape }) => isWanted(`endpoint ${path}`, shape));
  if (wanted.length === 0) return [];
  const { program, tokens, stop } = await openSetting(seed);
  const growths: Growth[] = [];
  try {
    for (const { path, shape, size, body } of wanted) {
      const sizes = many(doublings + 1, (at) => size * 2 ** at);
      const timesMs: number[] = [];
      await timeOf(program, () => post(program, tokens.usual, path, body(size)), 2);
      for (const each of sizes) {
        const made = body(each);
        timesMs.push(await timeOf(program, () => post(program, tokens.usual, path, made), 3 * tries));
      }
      const exponent = exponentOf(timesMs, { doublings, negligibleMs });
      const growth = {
        group: `endpoint ${path}`,
        shape,
        sizes,
        timesMs,
        exponent,
        isBounded: exponent <= mostExponent,
      };
      growths.push(growth);
      onMeasured(growth);
    }
  } finally {
    await stop();
  }
  return growths;
}

async function timeOf(program: SluiceProgram, ask: () => Promise<void>, times: number): Promise<number> {
  const before = program.readCost().cpuMs;
  for (let at = 0; at < times; at += 1) await ask();
  return (program.readCost().cpuMs - before) / times;
}

async function post(
  program: SluiceProgram,
  token: string,
  path: string,
  body: string | FormData,
): Promise<void> {
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const headers = { authorization: `Bearer ${token}`, ...type };
  const response = await fetch(program.url + path, { method: 'POST', headers, body });
  await response.arrayBuffer();
}
