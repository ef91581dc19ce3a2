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
  { list, between, readUsage, complaintIn }: PassedAnswer,
  isRead = false,
): WholeAnswer {
  const skimmed = isRead ? null : skimObject(body, { list, last: 'usage', between });
  const skimmedUsage = skimmed === null ? null : readUsage(skimmed);
  if (skimmedUsage !== null) return { body, usage: skimmedUsage, generated: '' };
  const json = tryParseJson(body);
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const generated = json[list];
  if (!Array.isArray(generated)) {
    const complaint = complaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError(`the answer has no ${list}`);
  }
  const usage = readUsage(json);
  return { body, usage, generated: usage === null ? generatedTextIn(generated) : '' };
}
