/** Writes a made-up candidate as one answer, or as the chunks of a stream. */
import type { LineEvent, WholeBody } from '../../reply.ts';
import type { Usage } from '../../usage.ts';
import type { Candidate, Piece } from './candidate.ts';

export interface Label {
  readonly id: string;
  readonly model: string;
  readonly choices: number;
  /** Undefined when none is told. */
  readonly usage: Usage | undefined;
}

export interface Chunk {
  readonly data: object;
  readonly tokens: number;
  readonly usage: Usage | undefined;
}

export function writeWhole(candidate: Candidate, label: Label): Omit<WholeBody, 'kind'> {
  const { whole: parts, finishReason } = candidate;
  const answer = answerOf(label, label.usage, (index) => ({
    ...(parts.length > 0 && { content: { parts, role: 'model' } }),
    finishReason,
    index,
  }));
  const tokens = candidate.pieces.reduce((sum, piece) => sum + piece.tokens, 0) * label.choices;
  return { text: JSON.stringify(answer), tokens, usage: label.usage };
}

/** Every chunk tells the counts so far. */
export function writeChunks(candidate: Candidate, label: Label): Chunk[] {
  const { pieces, finishReason } = candidate;
  const saying = finishReason === 'SAFETY' ? pieces.slice(-1) : pieces;
  return saying.map((piece, place) => {
    const isLast = place === saying.length - 1;
    const usage =
      isLast || label.usage === undefined ? label.usage : soFar(label.usage, saying, place, label);
    const data = answerOf(label, usage, (index) => ({
      ...(!(isLast && finishReason === 'SAFETY') && { content: { parts: [piece.part], role: 'model' } }),
      ...(isLast && { finishReason }),
      index,
    }));
    return { data, tokens: piece.tokens * label.choices, usage };
  });
}

export function eventOf({ data, tokens, usage }: Chunk): LineEvent {
  return { lines: [`data: ${JSON.stringify(data)}`], tokens, usage };
}

function soFar(usage: Usage, pieces: readonly Piece[], place: number, { choices }: Label): Usage {
  const spoken = pieces.slice(0, place + 1).reduce((sum, piece) => sum + piece.tokens, 0) * choices;
  return { ...usage, completionTokens: Math.min(usage.completionTokens, spoken + usage.reasoningTokens) };
}

function answerOf(label: Label, usage: Usage | undefined, candidateAt: (index: number) => object): object {
  return {
    candidates: Array.from({ length: label.choices }, (_, index) => candidateAt(index)),
    ...(usage !== undefined && { usageMetadata: usageFields(usage) }),
    modelVersion: label.model,
    responseId: label.id,
  };
}

/** Thoughts are counted beside the candidates, what the cache served inside the prompt. */
function usageFields(usage: Usage): object {
  return {
    promptTokenCount: usage.promptTokens,
    candidatesTokenCount: usage.completionTokens - usage.reasoningTokens,
    totalTokenCount: usage.promptTokens + usage.completionTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.promptTokens }],
    ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
    ...(usage.cachedTokens > 0 && {
      cachedContentTokenCount: usage.cachedTokens,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: usage.cachedTokens }],
    }),
  };
}
