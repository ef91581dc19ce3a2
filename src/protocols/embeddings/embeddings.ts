/** Embeddings in a form between the protocols: what is asked, what comes back, and what an upstream offers. */
import type { UpstreamComplaint } from '../translator.ts';

/** Text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[];

export interface EmbeddingsRequest {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  /** `base64`: 32-bit floats, little-endian. */
  readonly encodingFormat: 'float' | 'base64';
  readonly dimensions?: number | undefined;
  /** What the vectors are for, where the upstream tells queries from documents. */
  readonly inputType?: 'query' | 'document' | undefined;
  readonly user?: string | undefined;
}

export interface EmbeddingsAnswer {
  /** In the order of the inputs; base64 as upstreams send it when it was asked of them. */
  readonly vectors: readonly (readonly number[] | string)[];
  /** Null when the upstream gave no count. */
  readonly inputTokens: number | null;
}

export interface EmbeddingsUpstream {
  readonly name: string;
  /** The most inputs in one call. */
  readonly maxInputs: number;
  /**
   * @param inputs those of one call, at most `maxInputs`.
   * @throws AppError invalid_parameter for what the upstream cannot take, such as ids of tokens.
   */
  writeRequest(request: EmbeddingsRequest, inputs: readonly EmbeddingInput[], model: string): string;
  /** @throws UnreadableAnswerError also when there are not as many vectors as `count`; ComplaintError. */
  readAnswer(json: unknown, count: number): EmbeddingsAnswer;
  readComplaint(body: string): UpstreamComplaint | null;
}
