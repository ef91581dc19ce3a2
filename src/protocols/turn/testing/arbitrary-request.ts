/** Random requests of the form, for property tests. */
import fc from 'fast-check';
import type { JsonObject } from '../../json/fields.ts';
import { efforts, type Message, MessageList, type ResponseFormat, type TurnRequest } from '../request.ts';
import type { Tool, ToolChoice } from '../tools.ts';
import { assistantBlocks, cache, maybe, systemBlocks, text, userBlocks, word } from './arbitrary-blocks.ts';

const oneMessage: fc.Arbitrary<Message> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ role: fc.constant('user'), content: userBlocks }) },
  { weight: 4, arbitrary: fc.record({ role: fc.constant('assistant'), content: assistantBlocks(true) }) },
  fc.record({ role: fc.constant('system'), content: systemBlocks }),
);

/** Messages as readers leave them. */
export function tidy(messages: readonly Message[]): readonly Message[] {
  const list = new MessageList();
  for (const message of messages) {
    if (message.role === 'user') list.user(message.content);
    else if (message.role === 'assistant') list.assistant(message.content);
    else list.system(message.content);
  }
  return list.messages;
}

/** Instructions before the first message are no message. */
const messages = fc
  .array(oneMessage, { maxLength: 6 })
  .map(tidy)
  .map((all) => tidy(all[0]?.role === 'system' ? all.slice(1) : all));

const schema: fc.Arbitrary<JsonObject> = fc
  .record({
    properties: fc.dictionary(word, fc.constantFrom({ type: 'string' }, { type: 'integer', minimum: 1 }), {
      maxKeys: 3,
    }),
    closed: fc.boolean(),
    allRequired: fc.boolean(),
  })
  .map(({ properties, closed, allRequired }) => ({
    type: 'object',
    properties,
    ...(allRequired ? { required: Object.keys(properties) } : {}),
    ...(closed ? { additionalProperties: false } : {}),
  }));

const grammar: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({ type: 'text' }),
  fc.record({
    type: fc.constant('grammar'),
    grammar: fc.record({ syntax: fc.constantFrom('lark', 'regex'), definition: text }),
  }),
);

const tool: fc.Arbitrary<Tool> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('function'),
      name: word,
      description: maybe(text),
      schema,
      strict: maybe(fc.boolean()),
      cache,
    }),
  },
  fc.record({ kind: fc.constant('custom'), name: word, description: maybe(text), format: maybe(grammar) }),
  fc.record({ name: word }).map(
    ({ name }): Tool => ({
      kind: 'vendor',
      type: `vendor_${name}`,
      json: { type: `vendor_${name}`, name },
    }),
  ),
);

const tools = fc.uniqueArray(tool, {
  maxLength: 3,
  selector: (one) => (one.kind === 'vendor' ? one.type : one.name),
});

function toolChoiceAmong(among: readonly Tool[]): fc.Arbitrary<ToolChoice | undefined> {
  const names = among.flatMap((one) => (one.kind === 'vendor' ? [] : [one.name]));
  const free: fc.Arbitrary<ToolChoice> = fc.constantFrom({ type: 'none' }, { type: 'required' });
  if (names.length === 0) return maybe(free);
  const named: fc.Arbitrary<ToolChoice> = fc.record({
    type: fc.constant('tool'),
    name: fc.constantFrom(...names),
  });
  const allowed: fc.Arbitrary<ToolChoice> = fc.record({
    type: fc.constant('allowed'),
    names: fc.subarray(names, { minLength: 1 }),
    required: fc.boolean(),
  });
  return maybe(fc.oneof(free, named, allowed));
}

const toolFields = tools.chain((among) =>
  fc.record({ tools: fc.constant(among), toolChoice: toolChoiceAmong(among) }),
);

const responseFormat: fc.Arbitrary<ResponseFormat> = fc.oneof(
  fc.constant<ResponseFormat>({ type: 'json' }),
  fc.record({
    type: fc.constant('json_schema'),
    schema,
    name: maybe(word),
    description: maybe(text),
    strict: fc.boolean(),
  }),
);

const share = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value));

const fields = fc.record({
  system: systemBlocks,
  messages,
  parallelToolUse: fc.boolean(),
  maxOutputTokens: maybe(fc.integer({ min: 1, max: 9999 })),
  stopSequences: fc.array(fc.oneof(word, fc.constant('\n')), { maxLength: 3 }),
  sampling: fc.record({
    temperature: maybe(share.map((value) => value * 2)),
    topP: maybe(share),
    topK: maybe(fc.nat(100)),
    seed: maybe(fc.nat()),
    frequencyPenalty: maybe(share),
    presencePenalty: maybe(share),
  }),
  reasoning: maybe(
    fc.record({
      effort: maybe(fc.constantFrom(...efforts)),
      thinking: maybe(fc.constantFrom('off', 'on', 'adaptive')),
      budgetTokens: maybe(fc.integer({ min: 1, max: 9999 })),
    }),
  ),
  responseFormat: maybe(responseFormat),
  choices: fc.option(fc.integer({ min: 2, max: 4 }), { nil: undefined, freq: 5 }),
  logprobs: maybe(fc.nat(5)),
  userId: maybe(word),
  stream: fc.boolean(),
  vendor: fc.record({ openai: maybe(fc.constant({ store: false, verbosity: 'low' })) }),
});

export const turnRequest: fc.Arbitrary<TurnRequest> = fc
  .tuple(fields, toolFields)
  .map(([rest, chosen]) => ({ ...rest, ...chosen }));
