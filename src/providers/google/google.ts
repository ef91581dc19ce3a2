/** The Gemini API of Google AI. Vertex AI, which is addressed and signed in to in other ways, is not of this kind. */
import { googleEmbeddings } from '../../protocols/embeddings/google.ts';
import { modelName } from '../../protocols/google/models.ts';
import { googleUpstream } from '../../protocols/google/protocol.ts';
import { googleCount } from '../../protocols/token-count/google-count.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';

const defaultBaseUrl = 'https://generativelanguage.googleapis.com/v1beta';

export const google: ProviderAdapter = {
  kind: 'google',
  defaultBaseUrl,
  needsCredential: true,
  supports: () => ({
    chat: [{ protocol: googleUpstream, address: addressChat }],
    countTokens: { protocol: googleCount(googleUpstream), address: (task) => addressOf(task, 'countTokens') },
    embeddings: { protocol: googleEmbeddings, address: (task) => addressOf(task, 'batchEmbedContents') },
  }),
};

/** Without the parameter a stream would be one long JSON array. */
function addressChat(task: UpstreamTask): UpstreamAddress {
  return addressOf(task, task.stream ? 'streamGenerateContent?alt=sse' : 'generateContent');
}

/** The base URL ends in the version of the API. */
function addressOf({ target, model }: UpstreamTask, method: string): UpstreamAddress {
  const path = modelName(model).split('/').map(encodeURIComponent).join('/');
  return {
    url: `${baseUrlOf(target, { defaultBaseUrl })}/${path}:${method}`,
    headers: { ...jsonHeaders, 'x-goog-api-key': target.secret ?? '' },
  };
}
