/** The registry of protocols the double speaks. */
import { chatCompletions } from './chat-completions/chat-completions.ts';
import { converse } from './converse/converse.ts';
import { embeddings } from './embeddings/embeddings.ts';
import { googleCountTokens } from './google/count-tokens.ts';
import { googleEmbeddings } from './google/embed-contents.ts';
import { google } from './google/google.ts';
import { messagesCountTokens } from './messages/count-tokens.ts';
import { messages } from './messages/messages.ts';
import type { Protocol } from './protocol.ts';
import { rerank } from './rerank/rerank.ts';
import { responses } from './responses/responses.ts';
import { speech } from './speech/speech.ts';
import { transcriptions } from './transcriptions/transcriptions.ts';

const protocols: readonly Protocol[] = [
  chatCompletions,
  messages,
  responses,
  google,
  googleCountTokens,
  googleEmbeddings,
  converse,
  messagesCountTokens,
  embeddings,
  rerank,
  transcriptions,
  speech,
];

export function protocolFor(method: string, path: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.serves(method, path));
}
