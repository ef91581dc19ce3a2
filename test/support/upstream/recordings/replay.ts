/** Turns a recording into a reply, word for word. */
import { parseJson } from '../json.ts';
import type { Protocol, Statement } from '../protocols/protocol.ts';
import { type Reply, type StreamEvent, streamReply, wholeReply } from '../reply.ts';
import type { Recording } from './recording.ts';

/** Undefined when it was not recorded in the form the request wants. */
export function replay(recording: Recording, stream: boolean, protocol: Protocol): Reply | undefined {
  if (stream) {
    return recording.events && streamReply(recording.events.map((event) => replayEvent(event, protocol)));
  }
  if (recording.whole === undefined) return undefined;
  const statement = stated(parseJson(recording.whole), protocol);
  return wholeReply(200, 'application/json', { text: recording.whole, ...statement });
}

function replayEvent(event: string, protocol: Protocol): StreamEvent {
  const lines = event.split('\n');
  const data = lines
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  return { lines, ...stated(parseJson(data), protocol) };
}

function stated(message: unknown, protocol: Protocol): Statement {
  return protocol.readStatement?.(message) ?? { usage: undefined, tokens: 0 };
}
