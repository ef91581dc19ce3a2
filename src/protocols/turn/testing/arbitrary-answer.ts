/** Random answers of the form, whole and as streams, for property tests. */
import fc from 'fast-check';
import { noUsage, type TokenUsage } from '../../../base/token-usage.ts';
import { type Choice, type Stop, stopReasons, type TokenLogprob, type TurnAnswer } from '../answer.ts';
import type { AssistantBlock } from '../blocks.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../events.ts';
import { assistantBlocks, maybe, text, word } from './arbitrary-blocks.ts';

const count = fc.nat(99_999);

const usage: fc.Arbitrary<TokenUsage> = fc
  .record({
    inputTokens: count,
    cacheReadTokens: count,
    cacheWrite5mTokens: count,
    cacheWrite1hTokens: count,
    outputTokens: count,
    reasoningTokens: count,
    estimated: fc.constant(false),
  })
  .map((counts) => ({ ...counts, reasoningTokens: Math.min(counts.reasoningTokens, counts.outputTokens) }));

const logprob = fc.double({ min: -20, max: -0.1, noNaN: true });
const bytes = fc.option(fc.array(fc.nat(255), { maxLength: 3 }));
const tokenLogprob: fc.Arbitrary<TokenLogprob> = fc.record({
  token: text,
  logprob,
  bytes,
  top: fc.array(fc.record({ token: text, logprob, bytes }), { maxLength: 2 }),
});

/** A reason that fits what was said: a tool use ends an answer, and so does a refusal. */
function stopFor(content: readonly AssistantBlock[]): fc.Arbitrary<Stop> {
  if (content.some(({ type }) => type === 'tool_use')) return fc.constant({ reason: 'tool_use' });
  if (content.some(({ type }) => type === 'refusal')) return fc.constant({ reason: 'refusal' });
  return fc.constantFrom(...stopReasons).chain((reason): fc.Arbitrary<Stop> => {
    if (reason !== 'stop_sequence') return fc.constant({ reason });
    return fc.record({ reason: fc.constant(reason), sequence: maybe(word) });
  });
}

/** Logprobs go with text, of which a stream needs a piece to hang them on. */
const choice: fc.Arbitrary<Choice> = assistantBlocks(false).chain((content) =>
  fc.record({
    content: fc.constant(content),
    stop: stopFor(content),
    logprobs: content.some(({ type }) => type === 'text')
      ? maybe(fc.array(tokenLogprob, { minLength: 1, maxLength: 2 }))
      : fc.constant(undefined),
  }),
);

export const turnAnswer: fc.Arbitrary<TurnAnswer> = fc.record({
  id: word,
  model: word,
  createdS: maybe(fc.nat()),
  choices: fc.array(choice, { minLength: 1, maxLength: 2 }),
  usage: fc.option(fc.oneof({ weight: 9, arbitrary: usage }, { weight: 1, arbitrary: fc.constant(noUsage) })),
});

/** How a stream is cut: pieces of at most so many characters, and whether tool uses take turns. */
export const manner: fc.Arbitrary<Manner> = fc.record({
  maxPiece: fc.integer({ min: 1, max: 6 }),
  interleaved: fc.boolean(),
  counts: fc.constantFrom('first', 'last'),
});

export interface Manner {
  readonly maxPiece: number;
  readonly interleaved: boolean;
  readonly counts: 'first' | 'last';
}

export function eventsOf(answer: TurnAnswer, how: Manner): readonly TurnEvent[] {
  const { id, model, createdS, usage: counts } = answer;
  const usageEvents: TurnEvent[] = counts === null ? [] : [{ type: 'usage', usage: counts }];
  return [
    { type: 'start', id, model, createdS, usage: how.counts === 'first' ? counts : null },
    ...answer.choices.flatMap((one, index) => eventsOfChoice(one, index, how)),
    ...(how.counts === 'last' ? usageEvents : []),
    { type: 'end' },
  ];
}

function eventsOfChoice(
  { content, stop, logprobs }: Choice,
  index: number,
  how: Manner,
): readonly TurnEvent[] {
  const firstText = content.findIndex(({ type }) => type === 'text');
  const streams = content.map((block, at) =>
    eventsOfBlock(
      { block, at, choice: index, logprobs: at === firstText ? logprobs : undefined },
      how.maxPiece,
    ),
  );
  const isTool = (at: number) => content[at]?.type === 'tool_use';
  const spoken = streams.filter((_, at) => !isTool(at));
  const called = streams.filter((_, at) => isTool(at));
  const endsInCalls = content.slice(spoken.length).every(({ type }) => type === 'tool_use');
  const ordered = how.interleaved && endsInCalls ? [...spoken.flat(), ...takeTurns(called)] : streams.flat();
  return [...ordered, { type: 'stop', choice: index, stop }];
}

/** One event of each in turn. */
function takeTurns(streams: readonly (readonly TurnEvent[])[]): readonly TurnEvent[] {
  const longest = Math.max(0, ...streams.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => streams.flatMap((one) => one.slice(at, at + 1))).flat();
}

interface PlacedBlock {
  readonly block: AssistantBlock;
  readonly at: number;
  readonly choice: number;
  readonly logprobs: Choice['logprobs'];
}

function eventsOfBlock(
  { block, at, choice: index, logprobs }: PlacedBlock,
  maxPiece: number,
): readonly TurnEvent[] {
  const place = { choice: index, block: at };
  const said = block.type === 'redacted_thinking' ? '' : block.type === 'tool_use' ? block.input : block.text;
  const kind = kindOf(block);
  const deltas = piecesOf(said, maxPiece).map((piece, number): TurnEvent => {
    const likely = number === 0 ? logprobs : undefined;
    return { type: 'delta', ...place, kind, text: piece, logprobs: likely };
  });
  const signature: TurnEvent[] =
    block.type === 'thinking' && block.signature !== undefined
      ? [{ type: 'signature', ...place, signature: block.signature }]
      : [];
  return [
    { type: 'open', ...place, head: headOf(block) },
    ...deltas,
    ...signature,
    { type: 'close', ...place },
  ];
}

function kindOf({ type }: AssistantBlock): DeltaEvent['kind'] {
  return type === 'tool_use' ? 'input' : type === 'redacted_thinking' ? 'thinking' : type;
}

function headOf(block: AssistantBlock): BlockHead {
  if (block.type === 'tool_use') {
    const { id, name, custom, signature } = block;
    return { kind: 'tool_use', id, name, custom, signature };
  }
  if (block.type === 'redacted_thinking') return { kind: block.type, signature: block.signature };
  return { kind: block.type };
}

function piecesOf(whole: string, maxPiece: number): readonly string[] {
  const characters = [...whole];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += maxPiece)
    pieces.push(characters.slice(at, at + maxPiece).join(''));
  return pieces;
}
