/** Embeddings of Text Embeddings Inference, by its OpenAI-compatible path. */
import type { EmbeddingsUpstream } from './embeddings.ts';
import { openaiEmbeddings } from './openai.ts';

/** @param maxInputs what the server was started with as --max-client-batch-size. */
export function teiEmbeddings(maxInputs: number): EmbeddingsUpstream {
  return openaiEmbeddings({ name: 'tei-embeddings', maxInputs, passes: ['user'] });
}
