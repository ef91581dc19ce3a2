/** The registry of protocols the double speaks. */
import { chatCompletions } from './chat-completions/chat-completions.ts';
import { messages } from './messages/messages.ts';
import type { Protocol } from './protocol.ts';

const protocols: readonly Protocol[] = [chatCompletions, messages];

export function protocolFor(method: string, path: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.serves(method, path));
}
