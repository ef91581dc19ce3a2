/** The protocols of the recordings as sides of a conversion. */

import { chatClient, chatUpstream } from '../../src/protocols/chat-completions/protocol.ts';
import { readChatRequest } from '../../src/protocols/chat-completions/request.ts';
import { chatLosses } from '../../src/protocols/chat-completions/testing/losses.ts';
import { googleClient, googleUpstream } from '../../src/protocols/google/protocol.ts';
import { readGoogleRequest } from '../../src/protocols/google/request.ts';
import { googleLosses } from '../../src/protocols/google/testing/losses.ts';
import { messagesClient, messagesUpstream } from '../../src/protocols/messages/protocol.ts';
import { readMessagesRequest } from '../../src/protocols/messages/request.ts';
import { messagesLosses } from '../../src/protocols/messages/testing/losses.ts';
import type { ClientProtocol, UpstreamProtocol } from '../../src/protocols/protocol.ts';
import { responsesClient, responsesUpstream } from '../../src/protocols/responses/protocol.ts';
import { readResponsesRequest } from '../../src/protocols/responses/request.ts';
import { responsesLosses } from '../../src/protocols/responses/testing/losses.ts';
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';
import type { InferenceRequest } from '../../src/protocols/translator.ts';
import type { DeclaredLosses } from '../../src/protocols/turn/testing/losses.ts';

export const clients: Readonly<Record<RecordedProtocol, ClientProtocol>> = {
  anthropic: messagesClient,
  'chat-completions': chatClient(),
  responses: responsesClient(),
  google: googleClient,
};

export const upstreams: Readonly<Record<RecordedProtocol, UpstreamProtocol>> = {
  anthropic: messagesUpstream,
  'chat-completions': chatUpstream(),
  responses: responsesUpstream,
  google: googleUpstream,
};

export const declaredLosses: Readonly<Record<RecordedProtocol, DeclaredLosses>> = {
  anthropic: messagesLosses,
  'chat-completions': chatLosses,
  responses: responsesLosses,
  google: googleLosses,
};

/** For which requests are written: ones of which no writer knows that they refuse anything. */
export const upstreamModels: Readonly<Record<RecordedProtocol, string>> = {
  anthropic: 'claude-opus-4-6',
  'chat-completions': 'gpt-x',
  responses: 'gpt-x',
  google: 'gemini-2.5-flash',
};

/** A caller's request as an endpoint checks it; Google's clients say in the address whether to stream. */
export type RequestReader = (text: string, path: string) => InferenceRequest;

export const requestReaders: Readonly<Record<RecordedProtocol, RequestReader>> = {
  anthropic: readMessagesRequest,
  'chat-completions': readChatRequest,
  responses: readResponsesRequest,
  google: (text, path) =>
    readGoogleRequest(text, { model: 'm', stream: path.endsWith(':streamGenerateContent') }),
};
