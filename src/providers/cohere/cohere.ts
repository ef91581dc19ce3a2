/** Cohere: embeddings and reranking in its own API, chat in the one that is compatible with OpenAI's. */
import { type ChatDialect, hostDialect } from '../../protocols/chat-completions/dialect.ts';
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import { cohereEmbeddings } from '../../protocols/embeddings/cohere.ts';
import { cohereRerank } from '../../protocols/rerank/cohere.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';

const defaultBaseUrl = 'https://api.cohere.com';

/** Cohere names another host for its compatible API. */
const chatBaseUrl = 'https://api.cohere.ai';

const dialect: ChatDialect = {
  ...hostDialect,
  developerRole: true,
  logprobs: false,
  severalChoices: false,
  user: false,
  parallelToolCalls: false,
  toolChoices: ['none', 'required'],
  reasoning: { style: 'none' },
};

export const cohere: ProviderAdapter = {
  kind: 'cohere',
  defaultBaseUrl,
  needsCredential: true,
  supports: () => ({
    chat: [{ protocol: chatUpstream(dialect), address: addressChat }],
    embeddings: { protocol: cohereEmbeddings, address: (task) => addressOf(task, '/v2/embed') },
    rerank: { protocol: cohereRerank, address: (task) => addressOf(task, '/v2/rerank') },
  }),
};

function addressChat(task: UpstreamTask): UpstreamAddress {
  return addressOf(task, '/compatibility/v1/chat/completions', chatBaseUrl);
}

/** The APIs stand beside each other at one address: a base URL that names one of them means all. */
const versionPath = /\/(?:v1|v2|compatibility\/v1)$/;

function addressOf({ target }: UpstreamTask, path: string, base = defaultBaseUrl): UpstreamAddress {
  return {
    url: `${baseUrlOf(target, { defaultBaseUrl: base }).replace(versionPath, '')}${path}`,
    headers: { ...jsonHeaders, authorization: `Bearer ${target.secret ?? ''}` },
  };
}
