/** Jina: embeddings and reranking. */
import { jinaEmbeddings } from '../../protocols/embeddings/jina.ts';
import { jinaRerank } from '../../protocols/rerank/jina.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';

const defaultBaseUrl = 'https://api.jina.ai/v1';

export const jina: ProviderAdapter = {
  kind: 'jina',
  defaultBaseUrl,
  needsCredential: true,
  supports: () => ({
    embeddings: { protocol: jinaEmbeddings, address: (task) => addressOf(task, '/embeddings') },
    rerank: { protocol: jinaRerank, address: (task) => addressOf(task, '/rerank') },
  }),
};

/** The base URL ends in `/v1`. */
function addressOf({ target }: UpstreamTask, path: string): UpstreamAddress {
  return {
    url: `${baseUrlOf(target, { defaultBaseUrl })}${path}`,
    headers: { ...jsonHeaders, authorization: `Bearer ${target.secret ?? ''}` },
  };
}
