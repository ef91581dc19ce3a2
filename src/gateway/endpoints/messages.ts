/** POST /v1/messages, and its count of tokens. */
import { AppError } from '../../base/errors.ts';
import { messagesErrors } from '../../protocols/messages/errors.ts';
import { messagesClient } from '../../protocols/messages/protocol.ts';
import { readCountRequest, readMessagesRequest } from '../../protocols/messages/request.ts';
import { chatEndpoint } from './chat-endpoint.ts';
import { countEndpoint } from './count-endpoint.ts';

const versionHeader = 'anthropic-version';

export const messages = chatEndpoint({
  path: '/v1/messages',
  errors: messagesErrors,
  client: messagesClient,
  protocolHeaders: [versionHeader, 'anthropic-beta'],
  checkHeaders,
  readRequest: readMessagesRequest,
});

/** POST /v1/messages/count_tokens */
export const countTokens = countEndpoint({
  path: '/v1/messages/count_tokens',
  chat: messages,
  client: messagesClient,
  readRequest: readCountRequest,
  writeCount: (tokens) => ({ input_tokens: tokens }),
});

/** The version's value is a date. It may be left out, as plain clients do. */
function checkHeaders(headers: Headers): void {
  const version = headers.get(versionHeader);
  if (version === null || isDate(version)) return;
  throw new AppError({
    code: 'invalid_parameter',
    public: `The header ${versionHeader} must be a date such as 2023-06-01, not ${JSON.stringify(version.slice(0, 40))}.`,
    param: versionHeader,
  });
}

const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
