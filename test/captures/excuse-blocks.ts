/** What each declared loss makes of the blocks of a conversation: of texts, documents, thoughts, calls and their results. */
import { isJsonObject } from '../../src/protocols/json/fields.ts';
import type { Asked, AskedBlock, AskedMessage, AskedTool } from './asked/asked.ts';
import type { Excuses } from './pair.ts';

type Document = Extract<AskedBlock, { type: 'document' }>;

const isBytes = (block: AskedBlock): boolean =>
  block.type === 'document' && !/^(?:file:|\w+:\/\/)/.test(block.source);

function announced({ title, context }: Document): AskedBlock {
  const told = title === undefined ? '' : ` title=${JSON.stringify(title)}`;
  const found = context === undefined ? '' : ` context=${JSON.stringify(context)}`;
  return { type: 'text', text: `The next part is the document${told}${found}.` };
}

const withTitleInWords = (block: AskedBlock): readonly AskedBlock[] =>
  block.type === 'document' && block.title !== undefined
    ? [announced(block), { ...block, title: undefined }]
    : [block];

/** In the order in which they apply. */
export const blockExcuses: Excuses = {
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
      return [
        announced(block),
        { ...block, title: isBytes(block) ? block.title : undefined, context: undefined },
      ];
    }),
  'titles of documents': (asked) => mapBlocks(asked, (block) => withTitleInWords(block)),
  'titles of documents by URL or id': (asked) =>
    mapBlocks(asked, (block) => (isBytes(block) ? [block] : withTitleInWords(block))),
  'documents without a title': (asked) =>
    mapBlocks(asked, (block) =>
      block.type === 'document' && block.title === undefined && isBytes(block)
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
};

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
