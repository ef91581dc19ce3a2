/** Voyage's embeddings. */
import { openaiEmbeddings } from './openai.ts';

export const voyageEmbeddings = openaiEmbeddings({
  name: 'voyage-embeddings',
  maxInputs: 1000,
  tokenIds: false,
  dimensionsField: 'output_dimension',
  inputType: { field: 'input_type', query: 'query', document: 'document' },
  // The other types are packed integers, which no field of ours could tell from floats.
  fixed: { output_dtype: 'float' },
  passes: ['truncation'],
});
