/** OpenAI, and every host with a compatible base URL that has no kind of its own. */
import { openaiDialect } from '../../protocols/chat-completions/dialect.ts';
import { openaiEmbeddings } from '../../protocols/embeddings/openai.ts';
import { openaiSpeech } from '../../protocols/speech/openai.ts';
import { openaiTranscription } from '../../protocols/transcription/openai.ts';
import type { ProviderAdapter } from '../provider.ts';
import { compatibleAdapter } from './compatible-adapter.ts';

/** A key is not demanded: many a compatible host of one's own has none. */
export const openai: ProviderAdapter = {
  ...compatibleAdapter({
    kind: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    dialect: openaiDialect,
    responses: 'on demand',
    embeddings: openaiEmbeddings(),
    transcription: openaiTranscription(),
    speech: openaiSpeech(),
  }),
  needsCredential: false,
};
