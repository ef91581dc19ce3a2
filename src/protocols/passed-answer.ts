/** Whole answers that pass through unread as far as their ends say what they took. */
import type { TokenUsage } from '../base/token-usage.ts';
import { generatedTextIn } from './frames/generated-text.ts';
import { isJsonObject, type JsonObject, tryParseJson } from './json/fields.ts';
import { skimObject } from './json/text.ts';
import {
  ComplaintError,
  UnreadableAnswerError,
  type UpstreamComplaint,
  type WholeAnswer,
} from './translator.ts';

export interface PassedAnswer {
  /** The member that holds what was generated, which is long. */
  readonly list: string;
  /** A member that is read too, and may stand between the list and the counts. */
  readonly between?: string;
  /** An answer with nothing in the list is none. */
  readonly isNeverEmpty?: boolean;
  /** Null where the answer does not say it. */
  readUsage(answer: JsonObject): TokenUsage | null;
  complaintIn(answer: JsonObject): UpstreamComplaint | null;
}

/**
 * @param isRead what counts can stand inside the list, so that all of it must be read.
 * @throws ComplaintError for an error in the place of an answer, UnreadableAnswerError for what is neither.
 */
export function readPassedAnswer(
  body: string,
  { list, between, isNeverEmpty = false, readUsage, complaintIn }: PassedAnswer,
  isRead = false,
): WholeAnswer {
  const skimmed =
    isRead || (isNeverEmpty && mayBeEmpty(body, list))
      ? null
      : skimObject(body, { list, last: 'usage', between });
  const skimmedUsage = skimmed === null ? null : readUsage(skimmed);
  if (skimmedUsage !== null) return { body, usage: skimmedUsage, generated: '' };
  const json = tryParseJson(body);
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const generated = json[list];
  const isEmpty = isNeverEmpty && Array.isArray(generated) && generated.length === 0;
  if (!Array.isArray(generated) || isEmpty) {
    const complaint = complaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError(`the answer has ${isEmpty ? 'nothing in' : 'no'} ${list}`);
  }
  const usage = readUsage(json);
  return { body, usage, generated: usage === null ? generatedTextIn(generated) : '' };
}

/** By what stands behind the first mention of the list, which is near the beginning. */
function mayBeEmpty(body: string, list: string): boolean {
  const at = body.indexOf(`"${list}"`);
  const behind = at + list.length + 2;
  return at !== -1 && /^\s*:\s*\[\s*\]/.test(body.slice(behind, behind + 100));
}
