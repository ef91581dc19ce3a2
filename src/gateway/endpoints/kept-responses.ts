/** GET and DELETE of what is kept under /v1/responses/{id}: for the key that made it, while it is kept. */
import { AppError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../../protocols/json/fields.ts';
import { responsesErrors } from '../../protocols/responses/errors.ts';
import { type Asked, type FreeEndpoint, inferenceScopes } from '../endpoint.ts';
import { type KeptResponse, readKept } from '../kept-responses.ts';
import { forgetState } from '../upstream-state.ts';

interface Ask extends Asked {
  readonly id: string;
}

const path = '/v1/responses/:id';

const ofOne: Omit<FreeEndpoint<Ask, KeptResponse>, 'method' | 'path' | 'answer'> = {
  kind: 'free',
  scopes: inferenceScopes,
  isLimited: false,
  errors: responsesErrors,
  readRequest: ({ http, parameters }) => {
    if (new URL(http.url).searchParams.get('stream') === 'true') {
      throw new AppError({
        code: 'invalid_parameter',
        public: 'stream: a kept response is sent whole; leave the parameter out.',
        param: 'stream',
      });
    }
    return { model: null, stream: false, id: parameters['id'] ?? '' };
  },
  findSubject: ({ id }, { caller, services }) => {
    const one = services.keptResponses.find(caller.keyId, id);
    if (one !== undefined && readKept(one.response)['id'] === id) return one;
    throw new AppError({
      code: 'not_found',
      public: `No response is kept under ${id.slice(0, 100)} for this key.`,
    });
  },
};

export const keptResponse: FreeEndpoint<Ask, KeptResponse> = {
  ...ofOne,
  method: 'GET',
  path,
  answer: ({ subject }) => ({ body: subject.response }),
};

export const keptResponseRemoval: FreeEndpoint<Ask, KeptResponse> = {
  ...ofOne,
  method: 'DELETE',
  path,
  answer: ({ request, subject, caller, services }) => {
    services.keptResponses.drop(subject);
    if (!subject.isMadeHere) forgetState(caller, request.id, services);
    return { body: JSON.stringify({ id: request.id, object: 'response', deleted: true }) };
  },
};

/** Of the one request, without what it continued, on one page. */
export const keptResponseInput: FreeEndpoint<Ask, KeptResponse> = {
  ...ofOne,
  method: 'GET',
  path: `${path}/input_items`,
  answer: ({ request, subject, http }) => {
    if (subject.lacksInput) {
      throw new AppError({
        code: 'not_found',
        public: 'The input of this response was too large to be kept.',
      });
    }
    const input = subject.input === null ? [] : tryParseJson(subject.input);
    const items = Array.isArray(input) ? input.filter(isJsonObject) : [{ role: 'user', content: input }];
    const told = items.map((item, at) => ({
      ...{ id: `item_${request.id}_${at}`, type: 'message', ...item },
      ...(typeof item['content'] === 'string' ? { content: partsOf(item['role'], item['content']) } : {}),
    }));
    const isAscending = new URL(http.url).searchParams.get('order') === 'asc';
    const data = isAscending ? told : told.reverse();
    const list = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
    return { body: JSON.stringify({ object: 'list', data, ...list }) };
  },
};

/** As clients read it, who may write a text alone. */
const partsOf = (role: unknown, text: string): readonly JsonObject[] =>
  role === 'assistant' ? [{ type: 'output_text', text, annotations: [] }] : [{ type: 'input_text', text }];
