/** Converse, as Bedrock speaks it; clients of the gateway do not. */
import type { UpstreamProtocol } from '../protocol.ts';
import { readConverseAnswer } from './answer.ts';
import { readConverseComplaint } from './errors.ts';
import { ConverseEventReader } from './read-stream.ts';
import { writeConverseTurn } from './write-request.ts';

/** @param buckets whose files callers may show the model; it fetches them with the account's own rights. */
export function converseUpstream(buckets: readonly string[] = []): UpstreamProtocol {
  const opened = new Set(buckets);
  return {
    name: 'converse',
    stopSequences: 'not blank',
    argumentMembers: ['input'],
    writeRequest: (turn, model) => writeConverseTurn(turn, model, opened),
    readAnswer: readConverseAnswer,
    openReader: () => new ConverseEventReader(),
    readComplaint: readConverseComplaint,
    // Bedrock's binary frames are for its own clients, so that there are no bytes to pass through.
    passthrough: null,
  };
}
