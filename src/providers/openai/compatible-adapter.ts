/** An adapter for a host that is asked in OpenAI's manner, from its preset. */
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import { responsesUpstream } from '../../protocols/responses/protocol.ts';
import {
  baseUrlOf,
  jsonHeaders,
  type ProviderAdapter,
  type Supports,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';
import type { Preset } from './preset.ts';
import { checkProtocols, readProtocols, refuseOthers } from './protocol-settings.ts';

export function compatibleAdapter(preset: Preset): ProviderAdapter {
  const at = (path: string) => (task: UpstreamTask) => addressOf(task, preset.baseUrl, path);
  // Made once: what is kept for a protocol is kept for the protocol as this object.
  const chat = {
    'chat-completions': { protocol: chatUpstream(preset.dialect), address: at('/chat/completions') },
    responses: { protocol: responsesUpstream, address: at('/responses') },
  };
  const { embeddings, rerank, transcription, speech } = preset;
  const others: Supports = {
    ...(embeddings && { embeddings: { protocol: embeddings, address: at('/embeddings') } }),
    ...(rerank && { rerank: { protocol: rerank, address: at('/rerank') } }),
    ...(transcription && {
      transcription: { protocol: transcription, address: at('/audio/transcriptions') },
    }),
    ...(speech && { speech: { protocol: speech, address: at('/audio/speech') } }),
  };
  return {
    kind: preset.kind,
    defaultBaseUrl: preset.baseUrl,
    needsCredential: preset.keyVariable !== null,
    checkSettings: (settings) => {
      refuseOthers(settings, ['protocols']);
      checkProtocols(settings, preset);
    },
    supports: (settings, baseUrl = null) => ({
      ...others,
      chat: readProtocols(settings, preset, baseUrl).map((name) => chat[name]),
    }),
  };
}

function addressOf({ target }: UpstreamTask, defaultBaseUrl: string | null, path: string): UpstreamAddress {
  return {
    url: `${baseUrlOf(target, { defaultBaseUrl })}${path}`,
    headers: {
      ...jsonHeaders,
      ...(target.secret === null ? {} : { authorization: `Bearer ${target.secret}` }),
    },
  };
}
