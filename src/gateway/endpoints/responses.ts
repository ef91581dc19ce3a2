/** POST /v1/responses */
import { responsesErrors } from '../../protocols/responses/errors.ts';
import { responsesClient } from '../../protocols/responses/protocol.ts';
import { readResponsesRequest } from '../../protocols/responses/request.ts';
import { chatEndpoint } from './chat-endpoint.ts';

export const responses = chatEndpoint({
  path: '/v1/responses',
  errors: responsesErrors,
  client: responsesClient(),
  protocolHeaders: [],
  readRequest: readResponsesRequest,
});
