/** Voyage: embeddings and reranking. */
import { voyageEmbeddings } from '../../protocols/embeddings/voyage.ts';
import { voyageRerank } from '../../protocols/rerank/voyage.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';

const defaultBaseUrl = 'https://api.voyageai.com/v1';

export const voyage: ProviderAdapter = {
  kind: 'voyage',
  defaultBaseUrl,
  needsCredential: true,
  supports: () => ({
    embeddings: { protocol: voyageEmbeddings, address: (task) => addressOf(task, '/embeddings') },
    rerank: { protocol: voyageRerank, address: (task) => addressOf(task, '/rerank') },
  }),
};

/** The base URL ends in `/v1`. */
function addressOf({ target }: UpstreamTask, path: string): UpstreamAddress {
  return {
    url: `${baseUrlOf(target, { defaultBaseUrl })}${path}`,
    headers: { ...jsonHeaders, authorization: `Bearer ${target.secret ?? ''}` },
  };
}
