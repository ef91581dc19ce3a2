/** Every pair of a client protocol and an upstream protocol that can meet, with a sound stream for each. */
import { clockShowing } from '../../base/testing/manual-clock.ts';
import { chatErrors } from '../chat-completions/errors.ts';
import { chatClient } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { googleErrors } from '../google/errors.ts';
import { googleClient } from '../google/protocol.ts';
import { readGoogleRequest } from '../google/request.ts';
import { messagesErrors } from '../messages/errors.ts';
import { messagesClient } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { nativeErrors, readNativeRequest } from '../native/protocol.ts';
import { nativeClient } from '../native/testing/native-client.ts';
import type { ClientProtocol } from '../protocol.ts';
import { responsesErrors } from '../responses/errors.ts';
import { responsesClient } from '../responses/protocol.ts';
import { readResponsesRequest } from '../responses/request.ts';
import { translate } from '../translate/translate.ts';
import type { ErrorWriter, InferenceRequest, StreamTranslator } from '../translator.ts';
import { type SoundStream, soundStreams } from './sound-streams.ts';

interface StreamClient {
  readonly protocol: ClientProtocol;
  readonly errors: ErrorWriter;
  readonly request: InferenceRequest;
}

export interface StreamPair {
  readonly client: StreamClient;
  readonly sound: SoundStream;
  readonly passesThrough: boolean;
  open(): StreamTranslator;
}

const clock = clockShowing(() => 1_700_000_000_000);
const asked = { model: 'm', stream: true };
const messages = [{ role: 'user', content: 'When is high water?' }];

const clients: readonly StreamClient[] = [
  {
    protocol: chatClient(clock),
    errors: chatErrors,
    request: readChatRequest(
      JSON.stringify({ ...asked, messages, stream_options: { include_usage: true }, stop: ['never met'] }),
    ),
  },
  {
    protocol: messagesClient,
    errors: messagesErrors,
    request: readMessagesRequest(JSON.stringify({ ...asked, messages, max_tokens: 99 })),
  },
  {
    protocol: responsesClient(clock),
    errors: responsesErrors,
    request: readResponsesRequest(JSON.stringify({ ...asked, input: messages })),
  },
  {
    protocol: googleClient,
    errors: googleErrors,
    request: readGoogleRequest(JSON.stringify({ contents: [{ parts: [{ text: 'When is high water?' }] }] }), {
      model: 'm',
      stream: true,
    }),
  },
  {
    protocol: nativeClient,
    errors: nativeErrors,
    request: readNativeRequest(JSON.stringify({ ...asked, input: messages })),
  },
];

/** Native requests go to native upstreams, and nothing else does. */
const canMeet = (client: string, upstream: string): boolean =>
  (client === 'native') === (upstream === 'native');

export const streamPairs: readonly (readonly [string, StreamPair])[] = clients.flatMap((client) =>
  soundStreams
    .filter(({ upstream }) => canMeet(client.protocol.name, upstream.name))
    .map((sound) => {
      const { protocol, request } = client;
      const { upstream } = sound;
      const translator = translate({ client: protocol, upstream });
      const passesThrough = protocol.name === upstream.name;
      const pair = { client, sound, passesThrough, open: () => translator.openStream(request) };
      return [`${protocol.name} over ${upstream.name}`, pair] as const;
    }),
);
