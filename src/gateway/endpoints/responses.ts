/** POST /v1/responses */
import { responsesErrors } from '../../protocols/responses/errors.ts';
import { responsesClient } from '../../protocols/responses/protocol.ts';
import { readResponsesRequest } from '../../protocols/responses/request.ts';
import { recall } from '../recall.ts';
import { heldState, notingState } from '../upstream-state.ts';
import { chatEndpoint } from './chat-endpoint.ts';

export const responses = chatEndpoint({
  path: '/v1/responses',
  errors: responsesErrors,
  client: responsesClient(),
  protocolHeaders: [],
  readRequest: readResponsesRequest,
  heldState,
  prepare(asking, isConverted) {
    const { request, caller, services } = asking;
    const recalled = recall(request, {
      kept: services.keptResponses,
      keyId: caller.keyId,
      isConverted,
      maxBytes: services.settings.maxBodyBytes,
    });
    return isConverted ? recalled : notingState({ ...asking, request: recalled });
  },
});
