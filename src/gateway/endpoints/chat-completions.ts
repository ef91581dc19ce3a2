/** POST /v1/chat/completions */
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { chatClient } from '../../protocols/chat-completions/protocol.ts';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import { chatEndpoint } from './chat-endpoint.ts';

export const chatCompletions = chatEndpoint({
  path: '/v1/chat/completions',
  errors: chatErrors,
  client: chatClient(),
  protocolHeaders: [],
  readRequest: readChatRequest,
});
