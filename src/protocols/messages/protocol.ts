/** Messages as one side of a conversion. */
import type { ClientProtocol, PassingProtocol } from '../protocol.ts';
import { readMessagesAnswer, writeMessagesAnswer } from './answer.ts';
import { readMessagesComplaint } from './errors.ts';
import { messagesPassthrough } from './passthrough.ts';
import { argumentMembers } from './read-messages.ts';
import { readMessagesTurn } from './read-request.ts';
import { MessagesEventReader } from './read-stream.ts';
import { writeMessagesTurn } from './write-request.ts';
import { MessagesEventWriter } from './write-stream.ts';

const name = 'messages';

export const messagesUpstream: PassingProtocol = {
  name,
  stopSequences: 'not blank',
  longToolNames: true,
  argumentMembers,
  writeRequest: writeMessagesTurn,
  readAnswer: readMessagesAnswer,
  openReader: () => new MessagesEventReader(),
  readComplaint: readMessagesComplaint,
  passthrough: messagesPassthrough,
};

export const messagesClient: ClientProtocol = {
  name,
  answerIdPrefix: 'msg_',
  readRequest: readMessagesTurn,
  writeAnswer: writeMessagesAnswer,
  openWriter: () => new MessagesEventWriter(),
};
