/** Voyage: embeddings and reranking. */
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { asObject } from '../../protocols/json/fields.ts';
import { rerankUpstream } from '../../protocols/rerank/host.ts';
import { probeTask, probeVectors } from '../provider.ts';
import { vendorAdapter } from '../vendor-adapter.ts';

/**
 * As of 2026-11: https://docs.voyageai.com/reference/embeddings-api and https://docs.voyageai.com/reference/reranker-api
 * take 1,000 texts and 1,000 documents a call.
 */
const limits = { texts: 1000, documents: 1000 } as const;

const voyageEmbeddings = openaiEmbeddings({
  name: 'voyage-embeddings',
  maxInputs: limits.texts,
  tokenIds: false,
  dimensionsField: 'output_dimension',
  inputType: { field: 'input_type', query: 'query', document: 'document' },
  // The other types are packed integers, which no field of ours could tell from floats.
  fixed: { output_dtype: 'float' },
  passes: ['truncation'],
});

const voyageRerank = rerankUpstream({
  name: 'voyage-rerank',
  maxDocuments: limits.documents,
  documentsField: 'documents',
  scoreField: 'relevance_score',
  fixed: {},
  passes: ['truncation'],
  findScores: (json) => asObject(json)?.['data'],
  readTokens: (json) => asObject(asObject(json)?.['usage'])?.['total_tokens'],
});

export const voyage = vendorAdapter({
  kind: 'voyage',
  baseUrl: 'https://api.voyageai.com/v1',
  probes: (at, target, model) => {
    const task = probeTask(target);
    return probeVectors({ embeddings: at('/embeddings')(task), rerank: at('/rerank')(task) }, model);
  },
  supports: (at) => ({
    embeddings: { protocol: voyageEmbeddings, address: at('/embeddings') },
    rerank: { protocol: voyageRerank, address: at('/rerank') },
  }),
});
