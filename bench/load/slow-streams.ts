/** Many streams at once, each on its own connection, by a small client that costs little. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'bun';
import type { AddressedQuestion } from './question.ts';
import { StreamReader } from './stream-reader.ts';

export interface SlowStreamsOrder {
  readonly question: AddressedQuestion;
  readonly streams: number;
}

export interface SlowStreamsResult {
  readonly complete: number;
  readonly mostAtOnce: number;
  readonly seconds: number;
  /** From the request to the first event, of every stream that had one, ascending. */
  readonly firstEventMs: readonly number[];
}

/** Connections come in small groups, so that no listener's queue of new ones decides the result. */
const groupSize = 10;
const groupPauseMs = 10;
const timeLimitMs = 30_000;

export async function runSlowStreams({ question, streams }: SlowStreamsOrder): Promise<SlowStreamsResult> {
  const startedAtMs = performance.now();
  const request = writeRequest(question);
  const state = { open: 0, mostAtOnce: 0 };
  const isLate = AbortSignal.timeout(timeLimitMs);
  const ends: Promise<StreamReader>[] = [];
  while (ends.length < streams) {
    for (let place = 0; place < groupSize && ends.length < streams; place += 1) {
      ends.push(runStream(question.url, request, { state, isLate }));
    }
    await sleep(groupPauseMs);
  }
  const readers = await Promise.all(ends);
  return {
    complete: readers.filter(({ isComplete }) => isComplete).length,
    mostAtOnce: state.mostAtOnce,
    seconds: (performance.now() - startedAtMs) / 1000,
    firstEventMs: readers.flatMap(({ firstEventMs }) => firstEventMs ?? []).sort((one, other) => one - other),
  };
}

function writeRequest({ url, headers, body }: AddressedQuestion): string {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** Resolves when the stream has ended, in whatever way. */
async function runStream(
  url: string,
  request: string,
  { state, isLate }: { state: { open: number; mostAtOnce: number }; isLate: AbortSignal },
): Promise<StreamReader> {
  const { hostname, port } = new URL(url);
  const reader = new StreamReader();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let socket: Socket | undefined;
  try {
    socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (opened) => void opened.write(request),
        data(_socket, bytes) {
          reader.receive(bytes);
          if (reader.isComplete) end();
        },
        close: () => end(),
        error: () => end(),
      },
    });
  } catch {
    return reader;
  }
  state.open += 1;
  state.mostAtOnce = Math.max(state.mostAtOnce, state.open);
  isLate.addEventListener('abort', () => end(), { once: true });
  await ended;
  state.open -= 1;
  socket.terminate();
  return reader;
}
