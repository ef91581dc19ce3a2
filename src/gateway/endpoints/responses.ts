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
  asSent(request, asking) {
    if (request.json['previous_response_id'] == null && !request.text.includes('item_reference'))
      return request;
    try {
      return recallOnce(request, { ...asking, isConverted: true });
    } catch (thrown) {
      // What is not kept here is the upstream's own, or is refused when it is asked.
      if (thrown instanceof AppError && thrown.code !== 'server_busy') return request;
      throw thrown;
    }
  },
  prepare(asking, isConverted) {
    const recalled = fitted(asking, recallOnce(asking.request, { ...asking, isConverted }));
    return isConverted ? recalled : notingState({ ...asking, request: recalled });
  },
});

type Recalling = Pick<Asking<InferenceRequest>, 'caller' | 'services' | 'held'> & {
  readonly isConverted: boolean;
};

/** What refers to much is put together once, however many are asked with it, and counts against the budget once. */
const recalledAs = {
  converted: new WeakMap<InferenceRequest, InferenceRequest>(),
  passed: new WeakMap<InferenceRequest, InferenceRequest>(),
};

function recallOnce(
  request: InferenceRequest,
  { caller, services, held, isConverted }: Recalling,
): InferenceRequest {
  const known = recalledAs[isConverted ? 'converted' : 'passed'];
  const found = known.get(request);
  if (found !== undefined) return found;
  const { keptResponses: kept, settings } = services;
  const { keyId } = caller;
  const recalled = recall(request, { kept, keyId, isConverted, maxBytes: settings.maxBodyBytes, held });
  if (recalled.text !== request.text) known.set(request, recalled);
  return recalled;
}

/** What was said before to another model may use what has no price on this one. */
function fitted(
  { request, caller, model, prices }: Asking<InferenceRequest>,
  recalled: InferenceRequest,
): InferenceRequest {
  if (recalled.text === request.text || caller.billingExempt || prices === null) return recalled;
  return responses.fitToPrices?.(recalled, model, prices).request ?? recalled;
}
