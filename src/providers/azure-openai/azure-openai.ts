/** Azure OpenAI: OpenAI's interface under the address of one's own resource, with deployments for models. */

import { z } from 'zod';
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
  probeList,
  probeTask,
  refuseOthers,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';

/** In responses its models take tools and an effort at once, as at OpenAI itself. */
const offer = { kind: 'azure-openai', responses: 'preferred' } as const;
/** Of the dated versions, the first that has responses. Their names sort as their dates do. */
const firstWithResponses = '2025-03-01-preview';

const chat = {
  'chat-completions': { protocol: chatUpstream(), address: at('/chat/completions') },
  responses: { protocol: responsesUpstream, address: (task: UpstreamTask) => addressResponses(task) },
};

const others = {
  embeddings: { protocol: openaiEmbeddings(), address: at('/embeddings') },
  transcription: { protocol: openaiTranscription(), address: at('/audio/transcriptions') },
  translation: { protocol: openaiTranscription(), address: at('/audio/translations') },
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
  checkPlace: ({ baseUrl }) => {
    if (baseUrl !== null && !isResource(baseUrl)) throw new Error(`base_url: ${resourceAlone}`);
  },
  probes: (target) => [probeList(addressVersioned(probeTask(target), '/models'))],
  supports: (settings) => ({ ...others, chat: protocolsOf(settings).map((name) => chat[name]) }),
};

function protocolsOf(settings: Settings): readonly (keyof typeof chat)[] {
  const { apiVersion } = readAzureSettings(settings);
  const isOld = apiVersion !== null && apiVersion < firstWithResponses;
  return isOld && settings['protocols'] === undefined ? ['chat-completions'] : readProtocols(settings, offer);
}

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
const addressResponses = (task: UpstreamTask): UpstreamAddress => addressVersioned(task, '/responses');

function addressVersioned(task: UpstreamTask, path: string): UpstreamAddress {
  const { apiVersion } = readAzureSettings(task.target.settings);
  return addressOf(task, apiVersion === null ? `/v1${path}` : `${path}?api-version=${apiVersion}`);
}

/** What people copy from the portal ends in one of these. */
const ending = /\/openai(\/v1)?$/;

const resourceAlone =
  'expected the address of the resource alone, such as https://mine.openai.azure.com: a deployment is the upstream_id of a model, and a dated version the setting api_version';

/** Microsoft's hosts and the paths under which they have this interface; a gateway in front may stand anywhere. */
const microsofts = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;
const resourcePath = /^(?:\/api\/projects\/[^/]+)?(?:\/openai(?:\/v1)?)?\/?$/;

function isResource(baseUrl: string): boolean {
  const url = URL.parse(baseUrl);
  if (url === null) return true;
  if (/\/deployments(?:\/|$)/.test(url.pathname)) return false;
  return !microsofts.test(url.hostname) || resourcePath.test(url.pathname);
}

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

type Settings = Readonly<Record<string, unknown>>;

const datedVersion = z.string().regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/);
const auths = z.enum(['api-key', 'bearer']);

interface AzureSettings {
  /** Null: the interface without dated versions. */
  readonly apiVersion: string | null;
  /** `bearer`: the credential is a token of Entra. */
  readonly auth: z.output<typeof auths>;
}

function readAzureSettings(settings: Settings): AzureSettings {
  return {
    apiVersion: datedVersion.safeParse(settings['api_version']).data ?? null,
    auth: auths.safeParse(settings['auth']).data ?? 'api-key',
  };
}

/** @throws Error with a sentence for the operator. */
function checkAzureSettings(settings: Settings): void {
  refuseOthers(settings, ['protocols', 'api_version', 'auth']);
  if (!datedVersion.optional().safeParse(settings['api_version']).success) {
    throw new Error('api_version: expected a date such as 2024-10-21 or 2025-04-01-preview');
  }
  if (!auths.optional().safeParse(settings['auth']).success) {
    throw new Error(`auth: expected ${auths.options.join(' or ')}`);
  }
}
