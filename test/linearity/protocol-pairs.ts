/** Every client protocol with every upstream protocol that it can meet, as one measurement of either needs them. */
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

export interface Client {
  readonly protocol: ClientProtocol;
  readonly errors: ErrorWriter;
  /** A request of the protocol with the turn's content, as text. */
  write(turn: TurnRequest): string;
  read(text: string): InferenceRequest;
}

const clock = clockShowing(() => 1_700_000_000_000);
export const facts = { maxOutputTokens: 4096 };
const writtenBy = (upstream: UpstreamProtocol) => (turn: TurnRequest) =>
  upstream.writeRequest(turn, { ...facts, id: 'm' });

export const clients: readonly Client[] = [
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
export const upstreams: readonly { readonly protocol: UpstreamProtocol; readonly speaks: ClientProtocol }[] =
  [
    { protocol: chatUpstream(), speaks: chatClient(clock) },
    { protocol: messagesUpstream, speaks: messagesClient },
    { protocol: responsesUpstream, speaks: responsesClient(clock) },
    { protocol: googleUpstream, speaks: googleClient },
    { protocol: converseUpstream(), speaks: converseClient },
    { protocol: nativeUpstream, speaks: responsesClient(clock) },
  ];

export interface Pair {
  readonly name: string;
  readonly client: Client;
  readonly upstream: UpstreamProtocol;
  readonly speaks: ClientProtocol;
  readonly translator: Translator;
}

/** Native requests go to native upstreams, and nothing else does. */
const canMeet = (client: string, upstream: string): boolean =>
  (client === 'native') === (upstream === 'native');

export const pairs: readonly Pair[] = clients.flatMap((client) =>
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

export const plain: TurnRequest = {
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
