/** A provider that needs no network: it answers deterministically and says that it is a simulation. */
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { isJsonObject, tryParseJson } from '../../protocols/json/fields.ts';
import { openaiSpeech } from '../../protocols/speech/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import { jinaRerank } from '../jina/jina.ts';
import type { ProviderAdapter, Support, Supports, UpstreamRequest } from '../provider.ts';
import { simulateChat } from './chat.ts';
import {
  simulateEmbeddings,
  simulateRerank,
  simulateSpeech,
  simulateTranscription,
} from './vectors-and-sounds.ts';

const scheme = 'simulator:';

const at = <Protocol>(path: string, protocol: Protocol): Support<Protocol> => ({
  protocol,
  address: () => ({ url: scheme + path, headers: {} }),
});

const supports: Supports = {
  chat: [at('chat', chatUpstream())],
  embeddings: at('embeddings', openaiEmbeddings({ tokenIds: false, base64Field: null })),
  rerank: at('rerank', jinaRerank),
  transcription: at('transcription', openaiTranscription({ verboseModels: /^$/ })),
  speech: at('speech', openaiSpeech()),
};

export const simulator: ProviderAdapter = {
  kind: 'simulator',
  defaultBaseUrl: scheme,
  needsCredential: false,
  supports: () => supports,
  answer,
};

async function answer({ url, body }: UpstreamRequest, signal: AbortSignal): Promise<Response> {
  const upload = new Response(body);
  if (url === `${scheme}transcription`) return simulateTranscription(upload);
  const request = tryParseJson(await upload.text());
  if (!isJsonObject(request)) throw new Error('the simulator was asked with no JSON object');
  switch (url) {
    case `${scheme}embeddings`:
      return simulateEmbeddings(request);
    case `${scheme}rerank`:
      return simulateRerank(request);
    case `${scheme}speech`:
      return simulateSpeech(request);
    default:
      return simulateChat(request, signal);
  }
}
