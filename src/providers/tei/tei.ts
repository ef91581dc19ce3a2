/** Text Embeddings Inference, a server of one's own for embeddings and reranking. */
import { teiEmbeddings } from '../../protocols/embeddings/tei.ts';
import { teiRerank } from '../../protocols/rerank/tei.ts';
import { refuseOthers } from '../openai/protocol-settings.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';

/** The server's own default. */
const defaultBatchSize = 32;

export const tei: ProviderAdapter = {
  kind: 'tei',
  defaultBaseUrl: null,
  needsCredential: false,
  checkSettings(settings) {
    refuseOthers(settings, ['max_client_batch_size']);
    readBatchSize(settings);
  },
  // A server has one model: a request for what that model is not for is answered by the server's complaint.
  supports(settings) {
    const batchSize = readBatchSize(settings);
    return {
      embeddings: {
        protocol: teiEmbeddings(batchSize),
        address: (task) => addressOf(task, '/v1/embeddings'),
      },
      rerank: { protocol: teiRerank(batchSize), address: (task) => addressOf(task, '/rerank') },
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

/** Its paths stand at the root; a base URL that ends in `/v1` means the same server. */
function addressOf({ target }: UpstreamTask, path: string): UpstreamAddress {
  return {
    url: `${baseUrlOf(target, { defaultBaseUrl: null }).replace(/\/v1$/, '')}${path}`,
    headers: {
      ...jsonHeaders,
      ...(target.secret === null ? {} : { authorization: `Bearer ${target.secret}` }),
    },
  };
}
