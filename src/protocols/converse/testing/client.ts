/** Converse as a client's protocol. No client speaks it to the gateway; tests read with it what was written. */
import type { ClientProtocol } from '../../protocol.ts';
import { readConverseTurn } from './read-request.ts';
import { ConverseEventWriter, writeConverseAnswer } from './write-answer.ts';

export const converseClient: ClientProtocol = {
  name: 'converse',
  readRequest: readConverseTurn,
  writeAnswer: writeConverseAnswer,
  openWriter: () => new ConverseEventWriter(),
};
