/** Azure OpenAI: OpenAI's interface under the address of one's own resource, with deployments for models. */
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { responsesUpstream } from '../../protocols/responses/protocol.ts';
import { openaiSpeech } from '../../protocols/speech/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import { checkProtocols, readProtocols } from '../openai/protocol-settings.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';
import { checkAzureSettings, readAzureSettings } from './settings.ts';

const offer = { kind: 'azure-openai', responses: 'offered' } as const;

const chat = {
  'chat-completions': { protocol: chatUpstream(), address: at('/chat/completions') },
  responses: { protocol: responsesUpstream, address: addressResponses },
};

const others = {
  embeddings: { protocol: openaiEmbeddings(), address: at('/embeddings') },
  transcription: { protocol: openaiTranscription(), address: at('/audio/transcriptions') },
  speech: { protocol: openaiSpeech(), address: at('/audio/speech') },
};

export const azureOpenai: ProviderAdapter = {
  kind: offer.kind,
  defaultBaseUrl: null,
  needsCredential: true,
  checkSettings: (settings) => {
    checkAzureSettings(settings);
    checkProtocols(settings, offer);
  },
  supports: (settings) => ({ ...others, chat: readProtocols(settings, offer).map((name) => chat[name]) }),
};

/** With a dated version the deployment stands in the path; without one in the body, as any model. */
function at(path: string): (task: UpstreamTask) => UpstreamAddress {
  return (task) => {
    const { apiVersion } = readAzureSettings(task.target.settings);
    if (apiVersion === null) return addressOf(task, `/v1${path}`);
    const deployment = encodeURIComponent(task.model);
    return addressOf(task, `/deployments/${deployment}${path}?api-version=${apiVersion}`);
  };
}

/** The dated version of this one has no deployment in its path. */
function addressResponses(task: UpstreamTask): UpstreamAddress {
  const { apiVersion } = readAzureSettings(task.target.settings);
  return addressOf(task, apiVersion === null ? '/v1/responses' : `/responses?api-version=${apiVersion}`);
}

/** What people copy from the portal ends in one of these. */
const ending = /\/openai(\/v1)?$/;

function addressOf({ target }: UpstreamTask, path: string): UpstreamAddress {
  const secret = target.secret ?? '';
  const { auth } = readAzureSettings(target.settings);
  return {
    url: `${baseUrlOf(target, azureOpenai).replace(ending, '')}/openai${path}`,
    headers: {
      ...jsonHeaders,
      ...(auth === 'bearer' ? { authorization: `Bearer ${secret}` } : { 'api-key': secret }),
    },
  };
}
