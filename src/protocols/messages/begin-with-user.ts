/** Upstreams refuse a conversation that the assistant begins. */
import type { Message } from '../turn/request.ts';

/** Stands before the greeting of an assistant, or before a conversation whose head the client cut off. */
const opening: Message = { role: 'user', content: [{ type: 'text', text: 'Hello.' }] };

export function beginWithUser(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === 'assistant' ? [opening, ...messages] : messages;
}
