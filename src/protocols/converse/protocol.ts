/** Converse as one side of a conversion. */

import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { readConverseComplaint } from './complaint.ts';
import { readConverseAnswer } from './read-answer.ts';
import { ConverseEventReader } from './read-stream.ts';
import { readConverseTurn } from './read-turn.ts';
import { writeConverseAnswer } from './write-answer.ts';
import { ConverseEventWriter } from './write-stream.ts';
import { writeConverseTurn } from './write-turn.ts';

const name = 'converse';

export const converseClient: ClientProtocol = {
  name,
  readRequest: readConverseTurn,
  writeAnswer: writeConverseAnswer,
  openWriter: () => new ConverseEventWriter(),
};

/** @param buckets whose files callers may show the model; it fetches them with the account's own rights. */
export function converseUpstream(buckets: readonly string[] = []): UpstreamProtocol {
  const opened = new Set(buckets);
  return {
    name,
    writeRequest: (turn, model) => writeConverseTurn(turn, model, opened),
    readAnswer: readConverseAnswer,
    openReader: () => new ConverseEventReader(),
    readComplaint: readConverseComplaint,
    // No client speaks binary frames to the gateway, so that there are no bytes to keep.
    passthrough: null,
  };
}
