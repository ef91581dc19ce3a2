/** Every pair of protocols with every hostile shape: requests, answers and streams, texts of errors; and forms. */
import { AppError } from '../../src/base/errors.ts';
import { FrameSplitter } from '../../src/base/sse.ts';
import { readForm } from '../../src/portal/asked.ts';
import { chatErrors } from '../../src/protocols/chat-completions/errors.ts';
import type { InferenceRequest, Translator } from '../../src/protocols/translator.ts';
import type { TurnRequest } from '../../src/protocols/turn/request.ts';
import { eventsOf } from '../../src/protocols/turn/testing/arbitrary-answer.ts';
import { refusalFailure } from '../../src/routing/index.ts';
import { hostileAnswers, hostileTurns } from './hostile-turns.ts';
import type { GrowthCase } from './measure.ts';
import { type Client, clients, facts, pairs, plain, upstreams } from './protocol-pairs.ts';

/** Not every protocol has a place for everything. */
function canSay(client: Client, turn: TurnRequest): boolean {
  try {
    client.write(turn);
    return true;
  } catch {
    return false;
  }
}

const requests: readonly GrowthCase[] = pairs.flatMap(({ name, client, translator }) =>
  hostileTurns
    .filter(({ make, size }) => canSay(client, make(size)))
    .map(
      ({ shape, size, make }): GrowthCase => ({
        group: `request ${name}`,
        shape,
        size,
        prepare(wanted) {
          const text = client.write(make(wanted));
          return () => translator.writeRequest(client.read(text), 'm', facts);
        },
      }),
    ),
);

/** What a gateway that has no form between would have to read, too: values of the wrong kind in every place. */
const wrongRequests: readonly GrowthCase[] = clients.flatMap((client) =>
  (['messages', 'input', 'contents', 'tools', 'system', 'stop', 'stop_sequences'] as const).map(
    (member): GrowthCase => ({
      group: `refusal ${client.protocol.name}`,
      shape: `many wrong ${member}`,
      size: 1000,
      prepare(size) {
        const json = JSON.parse(client.write(plain));
        const text = JSON.stringify({ ...json, [member]: Array.from({ length: size }, () => 7) });
        return () => {
          try {
            client.read(text);
          } catch (error) {
            if (error instanceof AppError) client.errors.writeBody(error, 'request-1');
          }
        };
      },
    }),
  ),
);

const answers: readonly GrowthCase[] = pairs.flatMap(({ name, client, speaks, translator }) =>
  hostileAnswers.map(
    ({ shape, size, make }): GrowthCase => ({
      group: `answer ${name}`,
      shape,
      size,
      prepare(wanted) {
        const request = client.read(client.write(plain));
        const body = speaks.writeAnswer(make(wanted), request);
        return () => translator.readAnswer(body, request);
      },
    }),
  ),
);

/** How the bytes of a stream arrive. */
const arrivals: readonly (readonly [string, number])[] = [
  ['in one piece', Number.POSITIVE_INFINITY],
  ['in small pieces', 16],
];

const streams: readonly GrowthCase[] = pairs.flatMap(({ name, client, speaks, translator }) =>
  hostileAnswers.flatMap(({ shape, size, make }) =>
    arrivals.map(
      ([arrival, pieceBytes]): GrowthCase => ({
        group: `stream ${name}`,
        shape: `${shape}, ${arrival}`,
        size: size / 2,
        prepare(wanted) {
          const request = client.read(client.write(plain));
          const writer = speaks.openWriter({ ...request, stream: true });
          const isLong = shape.startsWith('a long') || shape.startsWith('long');
          const manner = {
            maxPiece: isLong ? 12 : 1000,
            interleaved: shape === 'many calls' || shape.endsWith('in turns'),
            counts: 'last',
          } as const;
          const bytes = Buffer.from(
            eventsOf(make(wanted), manner)
              .map((event) => writer.write(event))
              .join(''),
          );
          return () => relay(bytes, pieceBytes, translator, request);
        },
      }),
    ),
  ),
);

function relay(bytes: Buffer, pieceBytes: number, translator: Translator, request: InferenceRequest): void {
  const stream = translator.openStream(request);
  const splitter = new FrameSplitter(64 * 1_048_576);
  const size = Math.min(pieceBytes, bytes.length);
  for (let at = 0; at < bytes.length; at += size) {
    const block = splitter.push(bytes.subarray(at, at + size));
    if (block.length > 0) stream.push(block);
  }
  stream.end();
}

/** Frames as no writer makes them. */
const oddFrames: readonly (readonly [string, (size: number) => string])[] = [
  ['a frame of many lines', (size) => `${'data: {\n'.repeat(size / 8)}\n`],
  ['many comments', (size) => ': wait\n\n'.repeat(size / 8)],
  ['many blank lines', (size) => '\n'.repeat(size)],
  ['many returns', (size) => '\r'.repeat(size)],
  ['returns and line feeds in turns', (size) => '\r\n\n\r'.repeat(size / 4)],
  ['a frame that does not end', (size) => `data: ${'x'.repeat(size)}`],
  ['a line that does not end', (size) => `data: {"a":"${'\\"'.repeat(size / 2)}`],
  ['names inside text', (size) => `data: {"a":"${'\\"usage\\":\\"error\\":'.repeat(size / 20)}"}\n\n`],
  ['frames that mean nothing', (size) => 'data: {"usage":null,"error":null}\n\n'.repeat(size / 36)],
  [
    'thoughts in details alone',
    (size) => {
      const reasoning_details = [{ type: 'reasoning.text', text: 'x', index: 0 }];
      const frame = { choices: [{ index: 0, delta: { reasoning_details } }] };
      return `data: ${JSON.stringify(frame)}\n\n`.repeat(size / 16);
    },
  ],
  ['frames that cannot be read', (size) => 'data: {\n\n'.repeat(size / 9)],
];

const oddStreams: readonly GrowthCase[] = pairs.flatMap(({ name, client, translator }) =>
  oddFrames.flatMap(([shape, write]) =>
    arrivals.map(
      ([arrival, pieceBytes]): GrowthCase => ({
        group: `stream ${name}`,
        shape: `${shape}, ${arrival}`,
        size: 16_384,
        prepare(size) {
          const request = client.read(client.write(plain));
          const bytes = Buffer.from(write(size));
          return () => relay(bytes, pieceBytes, translator, request);
        },
      }),
    ),
  ),
);

/** Texts that patterns are slow at. */
const wordsOfErrors: readonly (readonly [string, string])[] = [
  ['letters', 'a'],
  ['words', 'no such model '],
  ['keys', 'sk-abcdef '],
  ['hyphens', 'eyJ-'],
  ['addresses', 'a@'],
  ['dots', 'a.'],
  ['hosts', 'http://'],
  ['spaces', ' '],
  ['bearers', 'Bearer '],
  ['equals', 'a='],
  ['arns', 'arn:aws'],
];

const complaints: readonly GrowthCase[] = upstreams.flatMap(({ protocol, speaks }) =>
  wordsOfErrors.map(
    ([name, unit]): GrowthCase => ({
      group: `error of ${protocol.name}`,
      shape: `a long text of ${name}`,
      size: 16_384,
      prepare(size) {
        const message = unit.repeat(size / unit.length);
        const errors = clients.find((client) => client.protocol.name === speaks.name)?.errors ?? chatErrors;
        const body = JSON.stringify({
          type: 'error',
          error: { message, type: 'x', code: 'x', status: 'X' },
          message,
        });
        return () => {
          const complaint = protocol.readComplaint(body);
          const { error } = refusalFailure({ status: 400, complaint, secret: 'sk-upstream-secret' });
          errors.writeBody(error, 'request-1');
          errors.writeFrames(error, 'request-1');
        };
      },
    }),
  ),
);

const forms = (
  [
    ['many names', (at: number) => `n${at}`],
    ['one name often', () => 'n'],
  ] as const
).map(
  ([shape, nameOf]): GrowthCase => ({
    group: 'form of the portal',
    shape,
    size: 16_000,
    prepare(size) {
      const text = Array.from({ length: size }, (_, at) => nameOf(at)).join('&');
      return () => readForm(text);
    },
  }),
);

export const conversionCases: readonly GrowthCase[] = [
  ...requests,
  ...wrongRequests,
  ...answers,
  ...streams,
  ...oddStreams,
  ...complaints,
  ...forms,
];
