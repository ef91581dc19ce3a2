/** The Gemini API of Google AI. Vertex AI, which is addressed and signed in to in other ways, is not of this kind. */

import { modelName } from '../../protocols/google/models.ts';
import { googleUpstream } from '../../protocols/google/protocol.ts';
import { parseJsonObject } from '../../protocols/json/body.ts';
import { asObject, asTokenCount } from '../../protocols/json/fields.ts';
import type { CountTokensUpstream, UpstreamProtocol } from '../../protocols/protocol.ts';
import { type UpstreamTask, withVersion } from '../provider.ts';
import { vendorAdapter } from '../vendor-adapter.ts';
import { googleEmbeddings } from './embeddings.ts';

export const google = vendorAdapter({
  kind: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  complete: withVersion('v1beta'),
  showCredential: (secret) => ({ 'x-goog-api-key': secret }),
  supports: (at) => ({
    // Without the parameter a stream would be one long JSON array.
    chat: [
      {
        protocol: googleUpstream,
        address: at((task) =>
          pathOf(task, task.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
        ),
      },
    ],
    countTokens: {
      protocol: googleCount(googleUpstream),
      address: at((task) => pathOf(task, 'countTokens')),
    },
    embeddings: { protocol: googleEmbeddings, address: at((task) => pathOf(task, 'batchEmbedContents')) },
  }),
});

function pathOf({ model }: UpstreamTask, method: string): string {
  return `/${modelName(model).split('/').map(encodeURIComponent).join('/')}:${method}`;
}

/** @param chat generateContent. */
export function googleCount(chat: UpstreamProtocol): CountTokensUpstream {
  return {
    chat,
    writeRequest(chatBody, model) {
      // Sent bare, the contents alone would be counted, without instructions and tools.
      const generateContentRequest = { ...parseJsonObject(chatBody), model: asResource(model) };
      return JSON.stringify({ generateContentRequest });
    },
    readCount: (json) => asTokenCount(asObject(json)?.['totalTokens']) ?? null,
  };
}

const asResource = (model: string): string => (model.includes('/') ? model : `models/${model}`);
