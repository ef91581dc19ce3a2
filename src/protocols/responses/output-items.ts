/** What answers consist of: items and their parts, as plain objects. */

import type { JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';
import { writeLogprobs } from './logprobs.ts';
import type { CalledName } from './namespaces.ts';
import type { ResponseStatus } from './stop.ts';

/** Upstreams that know the items of their own answers would look for others in vain; made-up ids say what they are. */
export const madeUpReasoningId = 'rs_sluice_';

const prefixes = {
  message: 'msg_sluice_',
  reasoning: madeUpReasoningId,
  function_call: 'fc_sluice_',
  custom_tool_call: 'ctc_sluice_',
} as const;

export type ItemType = keyof typeof prefixes;

/** Ids longer than 64 characters are refused; what tells answers apart stands at the end of an id. */
const maxAnswerIdLength = 40;

/** The same item has the same id wherever it stands. */
export function itemId(type: ItemType, answerId: string, index: number): string {
  const answer = answerId.replaceAll(/[^\w-]/g, '_').slice(-maxAnswerIdLength);
  return `${prefixes[type]}${answer}_${index}`;
}

export function textPart(text: string, logprobs?: readonly TokenLogprob[]): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: writeLogprobs(logprobs) };
}

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal });

export function messageItem(id: string, content: readonly JsonObject[], status: ResponseStatus): JsonObject {
  return { type: 'message', id, status, role: 'assistant', content };
}

/** Where thinking is shown: as a summary to callers who asked for one, else as the thinking itself. */
export type ThoughtPlace = 'summary' | 'content';

export function thoughtPart(text: string, place: ThoughtPlace): JsonObject {
  return { type: place === 'summary' ? 'summary_text' : 'reasoning_text', text };
}

export interface ReasoningTerms {
  readonly id: string;
  readonly place: ThoughtPlace;
  /** Null when there is nothing to show. */
  readonly text: string | null;
  readonly encrypted: string | undefined;
}

export function reasoningItem({ id, place, text, encrypted }: ReasoningTerms): JsonObject {
  const parts = text === null ? [] : [thoughtPart(text, place)];
  return {
    type: 'reasoning',
    id,
    summary: place === 'summary' ? parts : [],
    content: place === 'content' ? parts : undefined,
    encrypted_content: encrypted,
  };
}

export interface CallTerms {
  readonly id: string;
  readonly callId: string;
  readonly called: CalledName;
  readonly input: string;
  readonly custom: boolean;
  readonly status: ResponseStatus;
}

export function callItem({ id, callId, called, input, custom, status }: CallTerms): JsonObject {
  const call = { id, status, call_id: callId, ...called };
  return custom
    ? { type: 'custom_tool_call', ...call, input }
    : { type: 'function_call', ...call, arguments: input };
}
