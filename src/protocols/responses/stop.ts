/** Why a response ended: a status, and a reason when it is incomplete. */
import { asObject, type JsonObject } from '../json/fields.ts';
import type { Stop } from '../turn/answer.ts';

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete';

export interface WrittenStop {
  readonly status: ResponseStatus;
  readonly incomplete_details: { readonly reason: string } | null;
}

const whole: WrittenStop = { status: 'completed', incomplete_details: null };

export function readResponsesStop(response: JsonObject, said: { toolUse: boolean; refusal: boolean }): Stop {
  if (response['status'] === 'incomplete') {
    const reason = asObject(response['incomplete_details'])?.['reason'];
    return { reason: reason === 'content_filter' ? 'refusal' : 'max_tokens' };
  }
  if (said.toolUse) return { reason: 'tool_use' };
  return { reason: said.refusal ? 'refusal' : 'end' };
}

/** A refusal that was said is an answer like any other; without one the answer was cut by a filter. */
export function writeResponsesStop({ reason }: Stop, hasRefusal: boolean): WrittenStop {
  switch (reason) {
    case 'max_tokens':
    case 'context_window':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'refusal':
      if (hasRefusal) return whole;
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    case 'end':
    case 'tool_use':
    case 'stop_sequence':
    case 'pause':
      return whole;
  }
}
