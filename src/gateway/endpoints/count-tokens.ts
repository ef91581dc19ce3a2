/** POST /v1/messages/count_tokens */
import { messagesClient } from '../../protocols/messages/protocol.ts';
import { readCountRequest } from '../../protocols/messages/request.ts';
import { countEndpoint } from './count-endpoint.ts';
import { messages } from './messages.ts';

export const countTokens = countEndpoint({
  path: '/v1/messages/count_tokens',
  chat: messages,
  client: messagesClient,
  readRequest: readCountRequest,
  writeCount: (tokens) => ({ input_tokens: tokens }),
});
