/** Why a candidate ended, and what stands for an end that is none. */
import { asFilledText, type JsonObject } from '../json/fields.ts';
import type { UpstreamComplaint } from '../translator.ts';
import type { Stop } from '../turn/answer.ts';

const refusals: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** The model failed in the middle of its answer; a client that took it for an end would act on half of it. */
const failures: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
]);

/** There is no word of its own for an end in function calls. One that is not known yet is an end like any other. */
export function readGoogleStop(reason: string, hasCalls: boolean): Stop {
  if (reason === 'MAX_TOKENS') return { reason: 'max_tokens' };
  if (refusals.has(reason)) return { reason: 'refusal' };
  return { reason: hasCalls ? 'tool_use' : 'end' };
}

/** Null when the candidate has not failed. */
export function readFailure(candidate: JsonObject): UpstreamComplaint | null {
  const reason = asFilledText(candidate['finishReason']);
  if (reason === undefined || !failures.has(reason)) return null;
  const told = asFilledText(candidate['finishMessage']);
  const message = `The model broke off its answer (${reason})${told === undefined ? '.' : `: ${told}`}`;
  return { message, code: reason, type: null, param: null, status: null };
}

export function writeGoogleStop({ reason }: Stop): string {
  switch (reason) {
    case 'max_tokens':
    case 'context_window':
      return 'MAX_TOKENS';
    case 'refusal':
      return 'SAFETY';
    case 'end':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause':
      return 'STOP';
  }
}
