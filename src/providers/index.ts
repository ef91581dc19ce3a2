/** The registry: every kind of provider, by name. */
import { anthropic } from './anthropic/anthropic.ts';
import { azureOpenai } from './azure-openai/azure-openai.ts';
import { bedrock } from './bedrock/bedrock.ts';
import { cohere } from './cohere/cohere.ts';
import { deepgram } from './deepgram/deepgram.ts';
import { elevenlabs } from './elevenlabs/elevenlabs.ts';
import { google } from './google/google.ts';
import { jina } from './jina/jina.ts';
import { native } from './native/native.ts';
import { openai, presetAdapters } from './openai/openai.ts';
import type { ProviderAdapter } from './provider.ts';
import { simulator } from './simulator/simulator.ts';
import { tei } from './tei/tei.ts';
import { voyage } from './voyage/voyage.ts';

const adapters: readonly ProviderAdapter[] = [
  openai,
  anthropic,
  google,
  azureOpenai,
  bedrock,
  cohere,
  jina,
  voyage,
  tei,
  deepgram,
  elevenlabs,
  native,
  ...presetAdapters,
  simulator,
];

export const providerAdapters: ReadonlyMap<string, ProviderAdapter> = new Map(
  adapters.map((adapter) => [adapter.kind, adapter]),
);

export { closedMembersAt } from './closed-members.ts';
export { type Prefill, prefillOf, withPrefillMarks } from './prefill.ts';
export {
  type Probe,
  type ProviderAdapter,
  type ProviderTarget,
  probeTask,
  type Support,
  type Supports,
  type UpstreamAddress,
  type UpstreamRequest,
} from './provider.ts';
export { retiredKinds } from './retired.ts';
