/** One host that is asked in OpenAI's manner, as data. */
import type { ChatDialect } from '../../protocols/chat-completions/dialect.ts';
import type { EmbeddingsUpstream } from '../../protocols/embeddings/embeddings.ts';
import type { RerankUpstream } from '../../protocols/rerank/rerank.ts';
import type { SpeechUpstream } from '../../protocols/speech/speech.ts';
import type { TranscriptionUpstream } from '../../protocols/transcription/transcription.ts';

export interface Preset {
  readonly kind: string;
  /** Where the interface begins; paths such as `/chat/completions` follow. Null when every row must say. */
  readonly baseUrl: string | null;
  /** The environment variable that its keys are kept in by custom; null for servers of one's own. */
  readonly keyVariable: string | null;
  readonly dialect: ChatDialect;
  /** `on demand`: has `/responses`, for rows that ask for it; `offered`: to every row. */
  readonly responses: 'none' | 'on demand' | 'offered';
  readonly embeddings?: EmbeddingsUpstream;
  readonly rerank?: RerankUpstream;
  readonly transcription?: TranscriptionUpstream;
  readonly speech?: SpeechUpstream;
}
