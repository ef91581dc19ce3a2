/** Jina's embeddings. */
import { openaiEmbeddings } from './openai.ts';

export const jinaEmbeddings = openaiEmbeddings({
  name: 'jina-embeddings',
  maxInputs: 512,
  tokenIds: false,
  base64Field: 'embedding_type',
  inputType: { field: 'task', query: 'retrieval.query', document: 'retrieval.passage' },
  passes: ['task', 'late_chunking', 'normalized', 'truncate'],
});
