/** POST /v1/responses */
import { AppError } from '../../base/errors.ts';
import { responsesErrors } from '../../protocols/responses/errors.ts';
import { responsesClient } from '../../protocols/responses/protocol.ts';
import { readResponsesRequest } from '../../protocols/responses/request.ts';
import type { InferenceRequest } from '../../protocols/translator.ts';
import type { Asking } from '../endpoint.ts';
import { recall } from '../recall.ts';
import { heldState, notingState } from '../upstream-state.ts';
import { type ChatEndpoint, chatEndpoint } from './chat-endpoint.ts';

export const responses: ChatEndpoint = chatEndpoint({
  path: '/v1/responses',
  errors: responsesErrors,
  client: responsesClient(),
  protocolHeaders: [],
  readRequest: readResponsesRequest,
  heldState,
  asSent(request, { caller, services }) {
    try {
      return recall(request, { ...termsOf({ caller, services }), isConverted: true });
    } catch (thrown) {
      // What is not kept here is the upstream's own, or is refused when it is asked.
      if (thrown instanceof AppError) return request;
      throw thrown;
    }
  },
  prepare(asking, isConverted) {
    const { held } = asking.call;
    const recalled = fitted(asking, recall(asking.request, { ...termsOf(asking), isConverted, held }));
    return isConverted ? recalled : notingState({ ...asking, request: recalled });
  },
});

const termsOf = ({ caller, services }: Pick<Asking<InferenceRequest>, 'caller' | 'services'>) => ({
  kept: services.keptResponses,
  keyId: caller.keyId,
  maxBytes: services.settings.maxBodyBytes,
});

/** What was said before to another model may use what has no price on this one. */
function fitted(
  { request, caller, model, prices }: Asking<InferenceRequest>,
  recalled: InferenceRequest,
): InferenceRequest {
  if (recalled.text === request.text || caller.billingExempt || prices === null) return recalled;
  return responses.fitToPrices?.(recalled, model, prices).request ?? recalled;
}
