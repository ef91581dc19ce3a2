/** A made-up turn as parts of a candidate, before it is written whole or as a stream. */
import { parseJson } from '../../json.ts';
import type { Turn } from '../../turn/compose-turn.ts';
import { signatureOfCall, signatureOfText } from './thought-signature.ts';

export interface CandidateManner {
  readonly number: number;
  readonly showsThoughts: boolean;
  /** The model signs what it says even when it did not think. */
  readonly alwaysSigns: boolean;
}

/** The pieces of a stream, each a part of its own, with the tokens in it. */
export interface Piece {
  readonly part: object;
  readonly tokens: number;
}

export interface Candidate {
  readonly whole: readonly object[];
  readonly pieces: readonly Piece[];
  readonly finishReason: 'STOP' | 'MAX_TOKENS' | 'SAFETY';
}

const reasons = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', refusal: 'SAFETY' } as const;

export function candidateOf(turn: Turn, manner: CandidateManner): Candidate {
  const signs = manner.alwaysSigns || turn.usage.reasoningTokens > 0;
  const thoughts = manner.showsThoughts ? turn.reasoning : [];
  const calls = callParts(turn, signs, manner);
  const textSignature = signs && turn.text.length > 0 ? { thoughtSignature: signatureOfText() } : {};
  return {
    whole: [
      ...joined(thoughts, { thought: true }),
      ...joined(turn.text, textSignature),
      ...calls.map(({ part }) => part),
    ],
    pieces: [
      ...thoughts.map((text) => ({ part: { text, thought: true }, tokens: 1 })),
      ...turn.text.map((text) => ({ part: { text }, tokens: 1 })),
      ...calls,
      // The end of a stream says nothing more, and carries the signature of the text.
      { part: { text: '', ...textSignature }, tokens: 0 },
    ],
    finishReason: reasons[turn.finish],
  };
}

function joined(pieces: readonly string[], more: object): object[] {
  return pieces.length === 0 ? [] : [{ text: pieces.join(''), ...more }];
}

/** Of calls side by side only the first is signed. */
function callParts(turn: Turn, signs: boolean, { number, alwaysSigns }: CandidateManner): Piece[] {
  return turn.toolCalls.map(({ name, fragments }, index) => {
    const args = parseJson(fragments.join(''));
    const functionCall = { name, args, ...(alwaysSigns && { id: `dbl${number}x${index}` }) };
    const signature = signs && index === 0 ? { thoughtSignature: signatureOfCall(name, args) } : {};
    return { part: { functionCall, ...signature }, tokens: fragments.length };
  });
}
