/** Cohere: embeddings and reranking in its own API, chat in the one that is compatible with OpenAI's. */
import { type ChatDialect, hostDialect } from '../../protocols/chat-completions/dialect.ts';
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import { addressesOf, vendorAdapter } from '../vendor-adapter.ts';
import { cohereEmbeddings, cohereRerank } from './vectors.ts';

/** Cohere names another host for its compatible API. */
const chatBaseUrl = 'https://api.cohere.ai';

/** The APIs stand beside each other at one address: a base URL that names one of them means all. */
const ending = /\/(?:v1|v2|compatibility\/v1)$/;

/** As of 2026-11, https://docs.cohere.com/docs/compatibility-api says what it takes. */
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

export const cohere = vendorAdapter({
  kind: 'cohere',
  baseUrl: 'https://api.cohere.com',
  ending,
  modelsPath: '/v1/models',
  supports: (at) => ({
    chat: [
      {
        protocol: chatUpstream(dialect),
        address: addressesOf({ baseUrl: chatBaseUrl, ending })('/compatibility/v1/chat/completions'),
      },
    ],
    embeddings: { protocol: cohereEmbeddings, address: at('/v2/embed') },
    rerank: { protocol: cohereRerank, address: at('/v2/rerank') },
  }),
});
