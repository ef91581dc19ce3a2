/** Every pair of protocols with every hostile shape: requests, answers and streams, and texts of errors. */
import { AppError } from '../../src/base/errors.ts';
import { FrameSplitter } from '../../src/base/sse.ts';
import { clockShowing } from '../../src/base/testing/manual-clock.ts';
import { chatErrors } from '../../src/protocols/chat-completions/errors.ts';
import { chatClient, chatUpstream } from '../../src/protocols/chat-completions/protocol.ts';
import { readChatRequest } from '../../src/protocols/chat-completions/request.ts';
import { converseUpstream } from '../../src/protocols/converse/protocol.ts';
import { converseClient } from '../../src/protocols/converse/testing/client.ts';
import { googleErrors } from '../../src/protocols/google/errors.ts';
import { googleClient, googleUpstream } from '../../src/protocols/google/protocol.ts';
import { readGoogleRequest } from '../../src/protocols/google/request.ts';
import { messagesErrors } from '../../src/protocols/messages/errors.ts';
import { messagesClient, messagesUpstream } from '../../src/protocols/messages/protocol.ts';
import { readMessagesRequest } from '../../src/protocols/messages/request.ts';
import { nativeErrors, nativeUpstream, readNativeRequest } from '../../src/protocols/native/protocol.ts';
import { nativeClient } from '../../src/protocols/native/testing/native-client.ts';
import type { ClientProtocol, UpstreamProtocol } from '../../src/protocols/protocol.ts';
import { responsesErrors } from '../../src/protocols/responses/errors.ts';
import { responsesClient, responsesUpstream } from '../../src/protocols/responses/protocol.ts';
import { readResponsesRequest } from '../../src/protocols/responses/request.ts';
import { translate } from '../../src/protocols/translate/translate.ts';
import type { ErrorWriter, InferenceRequest, Translator } from '../../src/protocols/translator.ts';
import type { TurnRequest } from '../../src/protocols/turn/request.ts';
import { eventsOf } from '../../src/protocols/turn/testing/arbitrary-answer.ts';
import { refusalFailure } from '../../src/routing/index.ts';
import { hostileAnswers, hostileTurns } from './hostile-turns.ts';
import type { GrowthCase } from './measure.ts';

interface Client {
  readonly protocol: ClientProtocol;
  readonly errors: ErrorWriter;
  /** A request of the protocol with the turn's content, as text. */
  write(turn: TurnRequest): string;
  read(text: string): InferenceRequest;
}

const clock = clockShowing(() => 1_700_000_000_000);
const facts = { maxOutputTokens: 4096 };
const writtenBy = (upstream: UpstreamProtocol) => (turn: TurnRequest) =>
  upstream.writeRequest(turn, { ...facts, id: 'm' });

const clients: readonly Client[] = [
  {
    protocol: chatClient(clock),
    errors: chatErrors,
    write: writtenBy(chatUpstream()),
    read: readChatRequest,
  },
  {
    protocol: messagesClient,
    errors: messagesErrors,
    write: writtenBy(messagesUpstream),
    read: readMessagesRequest,
  },
  {
    protocol: responsesClient(clock),
    errors: responsesErrors,
    write: writtenBy(responsesUpstream),
    read: readResponsesRequest,
  },
  {
    protocol: googleClient,
    errors: googleErrors,
    write: writtenBy(googleUpstream),
    read: (text) => readGoogleRequest(text, { model: 'm', stream: true }),
  },
  {
    protocol: nativeClient,
    errors: nativeErrors,
    write: (turn) => writtenBy(responsesUpstream)({ ...turn, stream: true }),
    read: readNativeRequest,
  },
];

/** Each with what writes its answers: the client's half of the same protocol. */
const upstreams: readonly { readonly protocol: UpstreamProtocol; readonly speaks: ClientProtocol }[] = [
  { protocol: chatUpstream(), speaks: chatClient(clock) },
  { protocol: messagesUpstream, speaks: messagesClient },
  { protocol: responsesUpstream, speaks: responsesClient(clock) },
  { protocol: googleUpstream, speaks: googleClient },
  { protocol: converseUpstream(), speaks: converseClient },
  { protocol: nativeUpstream, speaks: responsesClient(clock) },
];

interface Pair {
  readonly name: string;
  readonly client: Client;
  readonly upstream: UpstreamProtocol;
  readonly speaks: ClientProtocol;
  readonly translator: Translator;
}

/** Native requests go to native upstreams, and nothing else does. */
const canMeet = (client: string, upstream: string): boolean =>
  (client === 'native') === (upstream === 'native');

const pairs: readonly Pair[] = clients.flatMap((client) =>
  upstreams
    .filter(({ protocol }) => canMeet(client.protocol.name, protocol.name))
    .map(({ protocol: upstream, speaks }) => ({
      name: `${client.protocol.name} over ${upstream.name}`,
      client,
      upstream,
      speaks,
      translator: translate({ client: client.protocol, upstream }),
    })),
);

const plain: TurnRequest = {
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Where to?' }] }],
  tools: [],
  parallelToolUse: true,
  maxOutputTokens: 100,
  stopSequences: [],
  sampling: {},
  stream: true,
  vendor: {},
};

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

export const conversionCases: readonly GrowthCase[] = [
  ...requests,
  ...wrongRequests,
  ...answers,
  ...streams,
  ...oddStreams,
  ...complaints,
];
