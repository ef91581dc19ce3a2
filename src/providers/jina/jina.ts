/** Jina: embeddings and reranking. */
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { asObject } from '../../protocols/json/fields.ts';
import { rerankUpstream } from '../../protocols/rerank/host.ts';
import { probeTask, probeVectors } from '../provider.ts';
import { vendorAdapter } from '../vendor-adapter.ts';

/** As of 2026-11, https://api.jina.ai/redoc: 512 texts a call. Its reranker gives no bound; this is the request's own. */
const limits = { texts: 512, documents: 1000 } as const;

const jinaEmbeddings = openaiEmbeddings({
  name: 'jina-embeddings',
  maxInputs: limits.texts,
  tokenIds: false,
  base64Field: 'embedding_type',
  inputType: { field: 'task', query: 'retrieval.query', document: 'retrieval.passage' },
  passes: ['task', 'late_chunking', 'normalized', 'truncate'],
});

export const jinaRerank = rerankUpstream({
  name: 'jina-rerank',
  maxDocuments: limits.documents,
  documentsField: 'documents',
  scoreField: 'relevance_score',
  // It would send all texts back.
  fixed: { return_documents: false },
  passes: [],
  findScores: (json) => asObject(json)?.['results'],
  readTokens: (json) => asObject(asObject(json)?.['usage'])?.['total_tokens'],
});

export const jina = vendorAdapter({
  kind: 'jina',
  baseUrl: 'https://api.jina.ai/v1',
  probes: (at, target, model) => {
    const task = probeTask(target);
    return probeVectors({ embeddings: at('/embeddings')(task), rerank: at('/rerank')(task) }, model);
  },
  supports: (at) => ({
    embeddings: { protocol: jinaEmbeddings, address: at('/embeddings') },
    rerank: { protocol: jinaRerank, address: at('/rerank') },
  }),
});
