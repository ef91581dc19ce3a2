/** A host that is asked in OpenAI's manner: what is told of one as data, and the adapter that is made of it. */
import type { ChatDialect } from '../../protocols/chat-completions/dialect.ts';
import { chatUpstream } from '../../protocols/chat-completions/protocol.ts';
import type { EmbeddingsUpstream } from '../../protocols/embeddings/embeddings.ts';
import type { RerankUpstream } from '../../protocols/rerank/rerank.ts';
import { responsesUpstream } from '../../protocols/responses/protocol.ts';
import type { SpeechUpstream } from '../../protocols/speech/speech.ts';
import type { TranscriptionUpstream } from '../../protocols/transcription/transcription.ts';
import { type ProviderAdapter, refuseOthers, type Supports } from '../provider.ts';
import { addressesOf } from '../vendor-adapter.ts';
import { checkProtocols, type ProtocolOffer, readProtocols } from './protocol-settings.ts';

export interface Preset extends ProtocolOffer {
  /** The host's own documentation, which its rows were made from. */
  readonly source: string;
  /** The month in which the row was last compared with it. */
  readonly asOf: string;
  /** Where the interface begins; paths such as `/chat/completions` follow. Null when every row must say. */
  readonly baseUrl: string | null;
  /** The environment variable that its keys are kept in by custom; null for servers of one's own. */
  readonly keyVariable: string | null;
  readonly dialect: ChatDialect;
  readonly embeddings?: EmbeddingsUpstream;
  readonly rerank?: RerankUpstream;
  readonly transcription?: TranscriptionUpstream;
  readonly speech?: SpeechUpstream;
}

export function compatibleAdapter(preset: Preset): ProviderAdapter {
  const at = addressesOf(preset);
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
