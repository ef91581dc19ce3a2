/** Messages as one side of a conversion. */
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { readMessagesComplaint } from './complaint.ts';
import { messagesPassthrough } from './passthrough.ts';
import { readMessagesAnswer } from './read-answer.ts';
import { MessagesEventReader } from './read-stream.ts';
import { readMessagesTurn } from './read-turn.ts';
import { writeMessagesAnswer } from './write-answer.ts';
import { MessagesEventWriter } from './write-stream.ts';
import { writeMessagesTurn } from './write-turn.ts';

const name = 'messages';

export const messagesUpstream: UpstreamProtocol = {
  name,
  longToolNames: true,
  writeRequest: writeMessagesTurn,
  readAnswer: readMessagesAnswer,
  openReader: () => new MessagesEventReader(),
  readComplaint: readMessagesComplaint,
  passthrough: messagesPassthrough,
};

export const messagesClient: ClientProtocol = {
  name,
  readRequest: readMessagesTurn,
  writeAnswer: writeMessagesAnswer,
  openWriter: () => new MessagesEventWriter(),
};
