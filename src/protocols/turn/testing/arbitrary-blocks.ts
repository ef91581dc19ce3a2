/** Random blocks of the form, for property tests. */
import fc from 'fast-check';
import type {
  AssistantBlock,
  AudioBlock,
  CacheMark,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../blocks.ts';
import type { Signature } from '../signature.ts';

export const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined });

/** Whole characters of every kind, so that UTF-8 cuts fall inside some. */
export const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
export const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const base64 = fc.base64String({ minLength: 4, maxLength: 12 });

const signature: fc.Arbitrary<Signature> = fc.record({
  origin: fc.constantFrom('anthropic', 'openai', 'google'),
  value: fc.base64String({ minLength: 8, maxLength: 16 }),
});

export const cache: fc.Arbitrary<CacheMark | undefined> = fc.option(
  fc.record({ ttl: maybe(fc.constantFrom('5m', '1h')) }),
  { nil: undefined, freq: 5 },
);

/** Models write lines that are empty, and clients send them back. */
const lines = fc.oneof({ weight: 12, arbitrary: text }, fc.constantFrom(' ', '\n\n'));

const textBlock: fc.Arbitrary<TextBlock> = fc.record({ type: fc.constant('text'), text: lines, cache });
const plainTextBlock: fc.Arbitrary<TextBlock> = fc.record({ type: fc.constant('text'), text });

const media: fc.Arbitrary<MediaSource> = fc.oneof(
  fc.record({
    kind: fc.constant('base64'),
    mediaType: fc.constantFrom('image/png', 'image/jpeg'),
    data: base64,
  }),
  fc.record({ kind: fc.constant('url'), url: fc.webUrl() }),
  fc.record({
    kind: fc.constant('file'),
    id: word,
    vendor: fc.constantFrom('anthropic', 'openai', 'google'),
  }),
);

const image: fc.Arbitrary<ImageBlock> = fc.record({
  type: fc.constant('image'),
  source: media,
  detail: maybe(fc.constantFrom('low', 'high')),
  cache,
});

const documentSource: fc.Arbitrary<DocumentBlock['source']> = fc.oneof(
  fc.record({
    kind: fc.constant('base64'),
    mediaType: fc.constantFrom('application/pdf', 'application/msword'),
    data: base64,
  }),
  media.filter(({ kind }) => kind !== 'base64'),
  fc.record({ kind: fc.constant('text'), text }),
  fc.record({
    kind: fc.constant('content'),
    content: fc.array(fc.oneof(textBlock, image), { maxLength: 2 }),
  }),
);

const documentBlock: fc.Arbitrary<DocumentBlock> = fc.record({
  type: fc.constant('document'),
  source: documentSource,
  title: maybe(word),
  context: maybe(word),
  cache,
});

const audio: fc.Arbitrary<AudioBlock> = fc.record({
  type: fc.constant('audio'),
  source: fc.record({
    kind: fc.constant('base64'),
    mediaType: fc.constantFrom('audio/mpeg', 'audio/wav'),
    data: base64,
  }),
  cache,
});

const toolResult: fc.Arbitrary<ToolResultBlock> = fc.record({
  type: fc.constant('tool_result'),
  toolUseId: word,
  content: fc.array(fc.oneof({ weight: 4, arbitrary: textBlock }, image, documentBlock), { maxLength: 3 }),
  isError: fc.boolean(),
  cache,
});

export const systemBlocks = fc.array(textBlock, { maxLength: 2 });

export const userBlocks: fc.Arbitrary<UserBlock[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: textBlock }, image, documentBlock, audio, {
    weight: 2,
    arbitrary: toolResult,
  }),
  { maxLength: 4 },
);

/** Arguments as models write them: mostly objects, sometimes nothing, sometimes cut off. */
const input = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .dictionary(word, fc.oneof(text, fc.integer(), fc.boolean()), { minKeys: 1, maxKeys: 3 })
      .map((value) => JSON.stringify(value)),
  },
  fc.constant(''),
  fc.constant('{"cut": "o'),
);

/** Free text is anything, JSON and nothing too, and often has what JSON must escape. */
const code = fc.string({ unit: fc.constantFrom('"', '\\', '\n', '+', '🦥'), minLength: 1, maxLength: 8 });
const freeText = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 3, arbitrary: code },
  input,
  fc.constant('{}'),
);

const toolUse = (mark: fc.Arbitrary<CacheMark | undefined>): fc.Arbitrary<ToolUseBlock> =>
  fc
    .oneof(
      { weight: 4, arbitrary: fc.record({ custom: fc.constant(undefined), input }) },
      fc.record({ custom: fc.constant(true as const), input: freeText }),
    )
    .chain((call) =>
      fc.record({
        type: fc.constant('tool_use'),
        id: fc.uuid(),
        name: word,
        input: fc.constant(call.input),
        custom: fc.constant(call.custom),
        signature: fc.option(signature, { nil: undefined, freq: 3 }),
        cache: mark,
      }),
    );

/** @param mark whether blocks carry cache marks, which only requests do. */
export function assistantBlocks(mark: boolean): fc.Arbitrary<AssistantBlock[]> {
  const said = mark ? textBlock : plainTextBlock;
  const blocks: fc.Arbitrary<AssistantBlock[]> = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: said },
      fc.record({
        type: fc.constant('thinking'),
        text,
        signature: fc.option(signature, { nil: undefined, freq: 2 }),
      }),
      fc.record({ type: fc.constant('thinking'), text: fc.constant(''), signature }),
      fc.record({ type: fc.constant('redacted_thinking'), signature }),
      fc.record({ type: fc.constant('refusal'), text }),
      { weight: 2, arbitrary: toolUse(mark ? cache : fc.constant(undefined)) },
    ),
    { maxLength: 5 },
  );
  return blocks.map(withOwnSignatures);
}

/** A vendor signs no two alike: who reads the same signature again reads the same block again. */
function withOwnSignatures(blocks: readonly AssistantBlock[]): AssistantBlock[] {
  const seen = new Set<string>();
  return blocks.map((block, at) => {
    if (!('signature' in block) || block.signature === undefined) return block;
    const { value } = block.signature;
    const own = seen.has(value) ? `${value}${at}` : value;
    seen.add(own);
    return { ...block, signature: { ...block.signature, value: own } };
  });
}
