/** Text Embeddings Inference, a server of one's own for embeddings and reranking. */
import type { EmbeddingsUpstream } from '../../protocols/embeddings/embeddings.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { rerankUpstream } from '../../protocols/rerank/host.ts';
import type { RerankUpstream } from '../../protocols/rerank/rerank.ts';
import { type ProviderAdapter, probeList, probeTask, refuseOthers } from '../provider.ts';
import { addressesOf } from '../vendor-adapter.ts';

/**
 * The server's own default, as of 2026-11:
 * https://huggingface.co/docs/text-embeddings-inference/cli_arguments, --max-client-batch-size.
 */
const defaultBatchSize = 32;

/** Its paths stand at the root; a base URL that ends in `/v1` means the same server. */
const at = addressesOf({ baseUrl: null, ending: /\/v1$/ });

export const tei: ProviderAdapter = {
  kind: 'tei',
  defaultBaseUrl: null,
  needsCredential: false,
  checkSettings(settings) {
    refuseOthers(settings, ['max_client_batch_size']);
    readBatchSize(settings);
  },
  probes: (target) => [probeList(at('/info')(probeTask(target)), 'what it serves, which is free')],
  // A server has one model: a request for what that model is not for is answered by the server's complaint.
  supports(settings) {
    const batchSize = readBatchSize(settings);
    return {
      embeddings: { protocol: teiEmbeddings(batchSize), address: at('/v1/embeddings') },
      rerank: { protocol: teiRerank(batchSize), address: at('/rerank') },
    };
  },
};

function readBatchSize(settings: Readonly<Record<string, unknown>>): number {
  const size = settings['max_client_batch_size'] ?? defaultBatchSize;
  if (typeof size === 'number' && Number.isSafeInteger(size) && size > 0) return size;
  throw new Error(
    'max_client_batch_size: expected a whole number from 1, what the server was started with as --max-client-batch-size',
  );
}

/** By its path that is compatible with OpenAI's. */
function teiEmbeddings(maxInputs: number): EmbeddingsUpstream {
  return openaiEmbeddings({ name: 'tei-embeddings', maxInputs, passes: ['user'] });
}

/** By its own path, which answers with a bare list and no counts. */
function teiRerank(maxDocuments: number): RerankUpstream {
  return rerankUpstream({
    name: 'tei-rerank',
    maxDocuments,
    documentsField: 'texts',
    scoreField: 'score',
    fixed: {},
    passes: ['raw_scores', 'truncate', 'truncation_direction'],
    findScores: (json) => json,
  });
}
