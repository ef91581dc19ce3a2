/** POST /v1/chat/completions */
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { chatClient } from '../../protocols/chat-completions/protocol.ts';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import type { Endpoint } from '../relay.ts';

export const chatCompletions: Endpoint = {
  path: '/v1/chat/completions',
  modelType: 'chat',
  errors: chatErrors,
  client: chatClient(),
  protocolHeaders: [],
  readRequest: readChatRequest,
};
