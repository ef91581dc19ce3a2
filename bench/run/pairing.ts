/** Who speaks what: the client on this side of Sluice, the upstream behind it. */
import { chatQuestion } from '../load/chat-question.ts';
import { messagesQuestion } from '../load/messages-question.ts';
import { benchModels, type ProtocolName, type Question } from '../load/question.ts';

export interface Pairing {
  readonly client: ProtocolName;
  readonly upstream: ProtocolName;
}

/** Each conversion behind the passthrough that its upstream takes part in too. */
export const pairings: readonly Pairing[] = [
  { client: 'chat', upstream: 'chat' },
  { client: 'messages', upstream: 'chat' },
  { client: 'messages', upstream: 'messages' },
  { client: 'chat', upstream: 'messages' },
];

export function isConverted({ client, upstream }: Pairing): boolean {
  return client !== upstream;
}

export function questionOf({ client, upstream }: Pairing): Question {
  return questions[client](benchModels[upstream]);
}

const questions: Readonly<Record<ProtocolName, (model: string) => Question>> = {
  chat: chatQuestion,
  messages: messagesQuestion,
};
