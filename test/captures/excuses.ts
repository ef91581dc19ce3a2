/**
 * What each declared loss makes of a request. A converted request must be exactly what the losses of its pair leave of
 * the recorded one; a loss excuses its own fields in its own manner, and nothing else.
 */
import { isJsonObject } from '../../src/protocols/json/fields.ts';
import { closeSchema, isStrictSchema } from '../../src/protocols/turn/schema.ts';
import type { RequestLoss, Unread } from '../../src/protocols/turn/testing/losses.ts';
import type { Asked, AskedBlock, AskedMessage, AskedTool } from './asked/asked.ts';
import { reasoningInOtherWords } from './excuse-reasoning.ts';
import type { Pair } from './pair.ts';

/** Where nothing is known of the upstream's model. */
const usualBound = 8192;

type Excuse = (asked: Asked, pair: Pair) => Asked;

/** In the order in which they apply. Losses that leave nothing to see in what is compared, such as cache marks, have no entry. */
const excuses: Partial<Record<RequestLoss | Unread, Excuse>> = {
  'traces of vendor tools': (asked) => mapBlocks(asked, (block) => (block.type === 'trace' ? [] : [block])),
  'free-text tools': (asked) => {
    const custom = new Set(asked.tools.filter(({ kind }) => kind === 'custom').map(({ name }) => name));
    const called = mapBlocks(asked, (block) =>
      block.type === 'call' && typeof block.input === 'string' && custom.has(block.name)
        ? [{ ...block, input: { input: block.input } }]
        : [block],
    );
    return { ...called, tools: asked.tools.map(asFunction) };
  },
  'arguments that are no JSON object': (asked) =>
    mapBlocks(asked, (block) =>
      block.type === 'call' && !isJsonObject(block.input)
        ? [{ ...block, input: { input: block.input } }]
        : [block],
    ),
  'instructions in the middle': (asked) => ({
    ...asked,
    system: [
      ...asked.system,
      ...asked.messages.flatMap(({ role, blocks }) => (role === 'system' ? textsOf(blocks) : [])),
    ],
    messages: joined(asked.messages.filter(({ role }) => role !== 'system')),
  }),
  'documents as text': (asked) =>
    mapBlocks(asked, (block) => {
      if (block.type !== 'document' || !block.source.startsWith('text:')) return [block];
      const title = block.title === undefined ? '' : ` title=${JSON.stringify(block.title)}`;
      const context = block.context === undefined ? '' : ` context=${JSON.stringify(block.context)}`;
      const text = `<document${title}${context}>\n${block.source.slice('text:'.length)}\n</document>`;
      return [{ type: 'text', text }];
    }),
  'context of documents': (asked, { to }) =>
    mapBlocks(asked, (block) => {
      if (block.type !== 'document' || block.context === undefined || to.vendor === 'google') return [block];
      return [{ ...block, context: undefined }];
    }),
  'titles of documents': (asked) =>
    mapBlocks(asked, (block) => {
      if (block.type !== 'document' || block.title === undefined) return [block];
      const text = `The next part is the document title=${JSON.stringify(block.title)}.`;
      return [
        { type: 'text', text },
        { ...block, title: undefined },
      ];
    }),
  'documents without a title': (asked) =>
    mapBlocks(asked, (block) =>
      block.type === 'document' && block.title === undefined && !/^(?:file:|https?:)/.test(block.source)
        ? [{ ...block, title: block.source.startsWith('application/pdf') ? 'document.pdf' : 'file' }]
        : [block],
    ),
  'image detail': (asked) =>
    mapBlocks(asked, (block) => (block.type === 'image' ? [{ ...block, detail: undefined }] : [block])),
  'error marks of tool results': (asked) =>
    mapBlocks(asked, (block) => {
      if (block.type !== 'result' || !block.isError) return [block];
      const [first, ...rest] = block.content;
      const told = first?.type === 'text' ? `Error: ${first.text}` : 'Error:';
      const others = first?.type === 'text' ? rest : block.content;
      return [{ ...block, isError: false, content: [{ type: 'text', text: told }, ...others] }];
    }),
  'media in tool results': (asked, { found }) => {
    const said = found.messages.flatMap(({ blocks }) => textsOf(blocks));
    const words = said.filter((text) => /^Attached to the result of \S{1,80}:$/.test(text));
    return { ...asked, messages: asked.messages.map((message) => mediaBehind(message, words)) };
  },
  'pieces of tool results': (asked) =>
    mapBlocks(asked, (block) => {
      if (block.type !== 'result') return [block];
      const others = block.content.filter(({ type }) => type !== 'text');
      const text = textsOf(block.content).join('\n');
      return [{ ...block, content: text === '' ? others : [{ type: 'text', text }, ...others] }];
    }),
  refusals: (asked) =>
    mapBlocks(asked, (block) => (block.type === 'refusal' ? [{ ...block, type: 'text' }] : [block])),
  'signatures of other vendors': (asked, { from, to }) =>
    from.vendor === to.vendor
      ? asked
      : mapBlocks(asked, (block) => {
          if (block.type === 'call') return [{ ...block, signature: undefined }];
          return block.type === 'thinking' && block.signature !== undefined ? [] : [block];
        }),
  'unsigned thinking': (asked) =>
    mapBlocks(asked, (block) => (block.type === 'thinking' && block.signature === undefined ? [] : [block])),
  'unsigned thinking in pieces': (asked) => ({ ...asked, messages: asked.messages.map(inOneThought) }),
  'blocks in another order': (asked) => ({ ...asked, messages: asked.messages.map(inOrder) }),
  'a conversation that the assistant ends': (asked) =>
    asked.messages.at(-1)?.role !== 'assistant'
      ? asked
      : {
          ...asked,
          messages: [
            ...asked.messages,
            {
              role: 'user',
              blocks: [{ type: 'text', text: 'Go on exactly where your last message ends.' }],
            },
          ],
        },
  'some of the tools': (asked) => {
    const choice = asked.toolChoice;
    if (typeof choice === 'string' || choice.names.length < 2) return asked;
    const tools = asked.tools.filter(({ name }) => choice.names.includes(String(name)));
    return { ...asked, tools, toolChoice: choice.required ? 'required' : 'auto' };
  },
  'tool choice without tools': (asked) =>
    asked.tools.length > 0 ? asked : { ...asked, toolChoice: 'auto', parallel: true },
  'one tool at a time': (asked) => ({ ...asked, parallel: true }),
  'parallel use without a choice': (asked) =>
    asked.toolChoice === 'none' ? { ...asked, parallel: true } : asked,
  'open schemas': (asked) => ({
    ...asked,
    tools: asked.tools.map((tool) =>
      tool.strict === true ? { ...tool, schema: closed(tool.schema) } : tool,
    ),
    format: asked.format === undefined ? undefined : { ...asked.format, schema: closed(asked.format.schema) },
  }),
  // A search of the web is the one tool that more than its own vendor has.
  'vendor tools': (asked, { found }) => ({
    ...asked,
    tools: asked.tools.map((tool, at) => {
      const other = found.tools[at];
      const isSearch = String(tool.kind).startsWith('web_search') && other?.kind === 'googleSearch';
      return isSearch ? other : tool;
    }),
  }),
  'name and strictness of a schema': (asked, { to, found }) => {
    const { format } = asked;
    // Older models take no format beside tools, and are told of it in words.
    if (
      to.vendor === 'google' &&
      format !== undefined &&
      asked.tools.length > 0 &&
      found.format === undefined
    ) {
      const told = found.system.at(-1) ?? '';
      return { ...asked, format: undefined, system: told.includes('JSON') ? found.system : asked.system };
    }
    if (to.vendor !== 'openai') {
      return format?.schema === undefined
        ? asked
        : { ...asked, format: { ...format, name: undefined, description: undefined, strict: true } };
    }
    const tools = asked.tools.map((tool) =>
      tool.strict === true ? { ...tool, strict: canBeStrict(tool.schema) } : tool,
    );
    if (format?.schema === undefined) return { ...asked, tools };
    const strict = format.strict === true && canBeStrict(format.schema);
    return { ...asked, tools, format: { ...format, name: format.name ?? 'answer', strict } };
  },
  'strictness of tools that nobody set': (asked) => ({
    ...asked,
    tools: asked.tools.map((tool) =>
      tool.kind === 'function' ? { ...tool, strict: tool.strict ?? false } : tool,
    ),
  }),
  // One mode for all of them, which is also the mode of a choice: on when one must be strict and the choice is free.
  'strictness of tools': (asked) => {
    const isOn = asked.toolChoice === 'auto' && asked.tools.some(({ strict }) => strict === true);
    return { ...asked, tools: asked.tools.map((tool) => ({ ...tool, strict: isOn ? true : undefined })) };
  },
  'JSON without a schema': (asked) =>
    asked.format?.schema === undefined ? { ...asked, format: undefined } : asked,
  'reasoning in other words': reasoningInOtherWords,
  'sampling while thinking': (asked, { found }) =>
    found.reasoning.isOn === true
      ? { ...asked, temperature: undefined, topP: undefined, topK: undefined }
      : asked,
  'temperature above one': (asked) =>
    typeof asked.temperature === 'number' && asked.temperature > 1 ? { ...asked, temperature: 1 } : asked,
  'temperature together with top p': (asked) =>
    asked.temperature === undefined ? asked : { ...asked, topP: undefined },
  'seed and penalties': (asked) => ({
    ...asked,
    seed: undefined,
    frequencyPenalty: undefined,
    presencePenalty: undefined,
  }),
  penalties: (asked) => ({ ...asked, frequencyPenalty: undefined, presencePenalty: undefined }),
  'top k': (asked) => ({ ...asked, topK: undefined }),
  logprobs: (asked) => ({ ...asked, logprobs: undefined }),
  'user ids': (asked) => ({ ...asked, user: undefined }),
  'fields of one vendor': (asked) => ({ ...asked, openai: {} }),
  'storing that nobody spoke of': (asked) => ({ ...asked, openai: { store: false, ...asked.openai } }),
  'the wish to stream': (asked) => ({ ...asked, stream: false }),
  'blank stop sequences': (asked) => ({ ...asked, stop: asked.stop.filter((each) => each.trim() !== '') }),
  'an output bound that nobody set': (asked) =>
    asked.maxOutputTokens === undefined ? { ...asked, maxOutputTokens: usualBound } : asked,
  'small output bounds': (asked) =>
    typeof asked.maxOutputTokens === 'number' && asked.maxOutputTokens < 16
      ? { ...asked, maxOutputTokens: 16 }
      : asked,
};

export interface Excused {
  readonly asked: Asked;
  /** The losses that changed something, and which fields. */
  readonly losses: readonly string[];
}

export function applyLosses(asked: Asked, pair: Pair): Excused {
  const declared = new Set<string>([...pair.from.unread.request, ...pair.to.request].map(({ what }) => what));
  let left = asked;
  const losses: string[] = [];
  for (const [what, excuse] of Object.entries(excuses)) {
    if (!declared.has(what)) continue;
    const next = excuse(left, pair);
    const fields = Object.keys(next).filter(
      (field) => !Bun.deepEquals(Reflect.get(next, field), Reflect.get(left, field)),
    );
    if (fields.length > 0) losses.push(`${what} (${fields.join(', ')})`);
    left = next;
  }
  return { asked: left, losses };
}

function mapBlocks(asked: Asked, change: (block: AskedBlock) => readonly AskedBlock[]): Asked {
  const changeAll = (blocks: readonly AskedBlock[]): AskedBlock[] =>
    blocks.flatMap((block) =>
      block.type === 'result' ? change({ ...block, content: block.content.flatMap(change) }) : change(block),
    );
  const messages = asked.messages.map(({ role, blocks }) => ({ role, blocks: changeAll(blocks) }));
  return { ...asked, messages: joined(messages.filter(({ blocks }) => blocks.length > 0)) };
}

function joined(messages: readonly AskedMessage[]): AskedMessage[] {
  const all: { role: string; blocks: AskedBlock[] }[] = [];
  for (const { role, blocks } of messages) {
    const last = all.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else all.push({ role, blocks: [...blocks] });
  }
  return all;
}

const textsOf = (blocks: readonly AskedBlock[]): string[] =>
  blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));

/** In front of the media of each result stand words that say whose they are. */
function mediaBehind({ role, blocks }: AskedMessage, words: readonly string[]): AskedMessage {
  const behind: AskedBlock[] = [];
  let told = 0;
  const shown = blocks.map((block) => {
    if (block.type !== 'result') return block;
    const isMedia = ({ type }: AskedBlock) => type === 'image' || type === 'document';
    const media = block.content.filter(isMedia);
    if (media.length === 0) return block;
    behind.push({ type: 'text', text: words[told] ?? 'nothing says whose they are' }, ...media);
    told += 1;
    return { ...block, content: block.content.filter((part) => !isMedia(part)) };
  });
  if (behind.length === 0) return { role, blocks };
  const results = shown.filter(({ type }) => type === 'result');
  return { role, blocks: [...results, ...behind, ...shown.filter(({ type }) => type !== 'result')] };
}

const places = ['thinking', 'text', 'refusal', 'call'];

function inOrder({ role, blocks }: AskedMessage): AskedMessage {
  if (role !== 'assistant') return { role, blocks };
  const placeOf = ({ type }: AskedBlock) => places.indexOf(type);
  return { role, blocks: blocks.toSorted((one, other) => placeOf(one) - placeOf(other)) };
}

/** One string holds them all, where the first of them stands. */
function inOneThought({ role, blocks }: AskedMessage): AskedMessage {
  const thoughts = blocks.flatMap((block) =>
    block.type === 'thinking' && block.signature === undefined ? [block.text] : [],
  );
  if (thoughts.length < 2) return { role, blocks };
  const rest = blocks.filter((block) => block.type !== 'thinking' || block.signature !== undefined);
  return { role, blocks: [{ type: 'thinking', text: thoughts.join(''), signature: undefined }, ...rest] };
}

function asFunction(tool: AskedTool): AskedTool {
  if (tool.kind !== 'custom') return tool;
  const input = { type: 'string', description: 'The whole input of the tool, as plain text.' };
  const schema = { type: 'object', properties: { input }, required: ['input'] };
  return { ...tool, kind: 'function', schema };
}

const canBeStrict = (schema: unknown): boolean => isJsonObject(schema) && isStrictSchema(schema);

const closed = (schema: unknown): unknown => (isJsonObject(schema) ? closeSchema(schema) : schema);
