/** Conversations and answers that have much of one thing, in the form between the protocols. */
import { noUsage } from '../../src/base/token-usage.ts';
import type { JsonObject } from '../../src/protocols/json/fields.ts';
import type { TurnAnswer } from '../../src/protocols/turn/answer.ts';
import type { AssistantBlock, UserBlock } from '../../src/protocols/turn/blocks.ts';
import type { Message, TurnRequest } from '../../src/protocols/turn/request.ts';
import type { Tool } from '../../src/protocols/turn/tools.ts';

export interface Shaped<Made> {
  readonly shape: string;
  /** Of the first measurement. */
  readonly size: number;
  make(size: number): Made;
}

const many = <Item>(size: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: size }, (_, at) => make(at));

const text = (said: string): { type: 'text'; text: string } => ({ type: 'text', text: said });
const user = (...content: readonly UserBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: readonly AssistantBlock[]): Message => ({ role: 'assistant', content });
const hello = user(text('Where does the river go?'));

const turn = (fields: Partial<TurnRequest>): TurnRequest => ({
  system: [],
  messages: [hello],
  tools: [],
  parallelToolUse: true,
  maxOutputTokens: 100,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
  ...fields,
});

const schema: JsonObject = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (name: string, of: JsonObject = schema): Tool => ({ kind: 'function', name, schema: of });
const call = (at: number, input = '{"city":"Ely"}'): AssistantBlock => ({
  type: 'tool_use',
  id: `call_${at}`,
  name: `measure_${at % 100}`,
  input,
});
const result = (at: number) =>
  ({
    type: 'tool_result',
    toolUseId: `call_${at}`,
    content: [text('wet')],
    isError: false,
  }) satisfies UserBlock;
const thinking = (at: number): AssistantBlock => ({
  type: 'thinking',
  text: 'hm',
  signature: { origin: 'anthropic', value: `c2ln${at}` },
});

/** Objects in objects, as deep as is still read. */
function nested(depth: number): JsonObject {
  let inner: JsonObject = { type: 'string' };
  for (let at = 0; at < depth; at += 1) inner = { type: 'object', properties: { a: inner }, required: ['a'] };
  return inner;
}

const base64 = (size: number): string => 'iVBORw0KGgo'.padEnd(size - (size % 4), 'A');
const image = (data: string): UserBlock => ({
  type: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data },
});

const documentOf = (said: string): UserBlock => ({
  type: 'document',
  source: { kind: 'text', text: said },
});

const list = 500;
const letters = 32_768;

type Makers<Made> = Readonly<Record<string, (size: number) => Made>>;

const shaped = <Made>(size: number, makers: Makers<Made>): Shaped<Made>[] =>
  Object.entries(makers).map(([shape, make]) => ({ shape, size, make }));

const asking = (...content: readonly UserBlock[]): Partial<TurnRequest> => ({ messages: [user(...content)] });
const answered = (...content: readonly AssistantBlock[]): Partial<TurnRequest> => ({
  messages: [hello, assistant(...content), hello],
});
const withResult = (result: UserBlock, ...content: readonly AssistantBlock[]): Partial<TurnRequest> => ({
  messages: [hello, assistant(...content), user(result)],
});

/** What is in a request beside the usual. */
const ofManyThings: Makers<Partial<TurnRequest>> = {
  'many tiny messages': (size) => ({
    messages: [...many(size, (at) => (at % 2 === 0 ? user(text('a')) : assistant(text('b')))), hello],
  }),
  'many content parts': (size) => asking(...many(size, (at) => text(`part ${at}`))),
  'many parts of an answer': (size) => answered(...many(size, (at) => text(`part ${at}`))),
  'many tools': (size) => ({ tools: many(size, (at) => tool(`measure_${at}`)) }),
  'many tools with long names': (size) => ({
    tools: many(size, (at) => tool(`${'measure_'.repeat(9)}${at}`)),
  }),
  'many tools to choose among': (size) => {
    const names = many(size, (at) => `measure_${at}`);
    return { tools: names.map((name) => tool(name)), toolChoice: { type: 'allowed', names, required: true } };
  },
  'many tool calls and results at once': (size) => ({
    messages: [hello, assistant(...many(size, (at) => call(at))), user(...many(size, result))],
  }),
  'many rounds of a tool': (size) => ({
    messages: [hello, ...many(size, (at) => [assistant(call(at)), user(result(at))]).flat()],
  }),
  'many calls that nobody answered': (size) => ({
    messages: [hello, ...many(size, (at) => [assistant(call(at)), hello]).flat()],
  }),
  'many system messages between': (size) => ({
    messages: many(size, (at): Message[] => [
      user(text('a')),
      { role: 'system', content: [text(`b${at}`)] },
    ]).flat(),
  }),
  'many system parts': (size) => ({ system: many(size, (at) => text(`rule ${at}`)) }),
  'much signed thinking': (size) => withResult(result(1), ...many(size, thinking), call(1)),
  'many stop sequences': (size) => ({ stopSequences: many(size, (at) => `stop ${at}`) }),
  'many images': (size) => asking(...many(size, () => image(base64(64))), text('What?')),
  'many documents': (size) => asking(...many(size, (at) => documentOf(`page ${at}`)), text('What?')),
  'a document of many parts': (size) => {
    const content = many(size, (at) => text(`page ${at}`));
    return asking({ type: 'document', source: { kind: 'content', content } }, text('What?'));
  },
  'a tool result of many parts': (size) =>
    withResult({ ...result(1), content: many(size, (at) => text(`line ${at}`)) }, call(1)),
  'many cache marks': (size) =>
    asking(...many(size, (at): UserBlock => ({ ...text(`part ${at}`), cache: { ttl: '5m' } }))),
  'a schema with many members': (size) => {
    const properties = Object.fromEntries(many(size, (at) => [`m${at}`, { type: 'string' }]));
    return { tools: [tool('measure', { type: 'object', properties, required: Object.keys(properties) })] };
  },
  'a schema for the answer with many choices': (size) => {
    const one = (at: number) => ({ type: 'object', properties: { [`m${at}`]: { type: 'string' } } });
    return {
      responseFormat: {
        type: 'json_schema',
        name: 'place',
        strict: true,
        schema: { anyOf: many(size, one) },
      },
    };
  },
};

const long = (unit: string) => (size: number) => asking(text(unit.repeat(size / unit.length)));

const ofManyLetters: Makers<Partial<TurnRequest>> = {
  'a large image': (size) => asking(image(base64(size)), text('What?')),
  'a long text of letters': long('a'),
  'a long text of quotes': long('"\\'),
  'a long text of line ends': long('\r\n'),
  'a long text of emoji': long('🦥'),
  'a long text of lone surrogates': long('\ud800'),
  'long arguments': (size) => withResult(result(1), call(1, JSON.stringify({ city: 'a'.repeat(size) }))),
  'long arguments cut off': (size) =>
    withResult(result(1), call(1, `{"city":${'['.repeat(40)}"${'a'.repeat(size)}`)),
};

export const hostileTurns: readonly Shaped<TurnRequest>[] = [
  ...shaped(list, ofManyThings),
  ...shaped(letters, ofManyLetters),
  ...shaped(list / 10, {
    'many deep schemas': (size) => ({ tools: many(size, (at) => tool(`measure_${at}`, nested(15))) }),
  }),
].map(({ make, ...rest }) => ({ ...rest, make: (size) => turn(make(size)) }));

const answer = (...content: readonly AssistantBlock[]): TurnAnswer => ({
  id: 'answer-1',
  model: 'm',
  createdS: 1_700_000_000,
  choices: [
    { content, stop: { reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end' } },
  ],
  usage: { ...noUsage, inputTokens: 10, outputTokens: 20, estimated: false },
});

export const hostileAnswers: readonly Shaped<TurnAnswer>[] = [
  { shape: 'a long text', size: letters, make: (size) => answer(text('to the sea, '.repeat(size / 12))) },
  { shape: 'a long text of quotes', size: letters, make: (size) => answer(text('"\\'.repeat(size / 2))) },
  {
    shape: 'a long text of stops begun',
    size: letters,
    make: (size) => answer(text('stop '.repeat(size / 5))),
  },
  {
    shape: 'long thinking',
    size: letters,
    make: (size) => answer({ type: 'thinking', text: 'hm '.repeat(size / 3) }, text('Yes.')),
  },
  { shape: 'many texts', size: list, make: (size) => answer(...many(size, (at) => text(`part ${at}`))) },
  { shape: 'many calls', size: list, make: (size) => answer(...many(size, (at) => call(at))) },
  {
    shape: 'long arguments',
    size: letters,
    make: (size) => answer(call(1, JSON.stringify({ city: 'to '.repeat(size / 3) }))),
  },
  {
    shape: 'long arguments in turns',
    size: letters / 4,
    make: (size) => {
      const input = JSON.stringify({ edits: many(size / 10, (at) => ({ at, to: {} })) });
      return answer(call(1, input), call(2, input));
    },
  },
  {
    shape: 'many members in the arguments',
    size: 4 * list,
    make: (size) => answer(call(1, JSON.stringify(Object.fromEntries(many(size, (at) => [`m${at}`, at]))))),
  },
  {
    shape: 'much signed thinking',
    size: list,
    make: (size) => answer(...many(size, thinking), text('Yes.')),
  },
  {
    shape: 'many choices',
    size: list / 5,
    make: (size) => {
      const one = answer(text('Yes.'));
      return { ...one, choices: many(size, () => one.choices).flat() };
    },
  },
  {
    shape: 'many logprobs',
    size: list,
    make: (size) => {
      const { choices, ...rest } = answer(text('Yes.'));
      const logprobs = many(size, (at) => ({ token: `t${at}`, logprob: -1, bytes: null, top: [] }));
      return { ...rest, choices: choices.map((choice) => ({ ...choice, logprobs })) };
    },
  },
];
