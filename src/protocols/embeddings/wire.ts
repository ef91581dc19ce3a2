/** What the wire forms of embeddings and of reranking share: further fields, entries with an index, and errors. */

import { complaintIn } from '../chat-completions/errors.ts';
import {
  asCount,
  asFilledText,
  asNumber,
  asObjects,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { withoutRouting } from '../json/routing-metadata.ts';
import { ComplaintError, UnreadableAnswerError, type UpstreamComplaint } from '../translator.ts';

export interface Indexed {
  readonly index: number;
  readonly entry: JsonObject;
}

/**
 * In the order of their indexes, from 0 and without a gap.
 * @throws UnreadableAnswerError unless there is exactly one for each of the `count` entries of the request.
 */
export function sortByIndex(list: readonly unknown[], count: number): readonly Indexed[] {
  const found = new Map<number, JsonObject>();
  for (const entry of asObjects(list)) {
    const index = asCount(entry['index']);
    if (index === undefined || index >= count) {
      throw new UnreadableAnswerError('an entry of the answer has an index that is none of the request');
    }
    if (found.has(index))
      throw new UnreadableAnswerError(`the answer has two entries with the index ${index}`);
    found.set(index, entry);
  }
  if (found.size !== count) {
    throw new UnreadableAnswerError(`the answer has ${found.size} entries where ${count} were asked for`);
  }
  return [...found].map(([index, entry]) => ({ index, entry })).sort((a, b) => a.index - b.index);
}

/** What the reader of the request has understood, and what is meant for the gateway alone. */
const readFields = ['model', 'metadata', 'input', 'encoding_format', 'dimensions', 'input_type'];

/** @param names the fields that the upstream knows; `all` for every field of an embeddings request that nobody here does. */
export function passFields(json: JsonObject, names: 'all' | readonly string[]): JsonObject {
  const passes = (name: string) => (names === 'all' ? !readFields.includes(name) : names.includes(name));
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const sent = name === 'metadata' ? withoutRouting(value) : value;
      // Null stands for an absent field.
      return sent == null || !passes(name) ? [] : [[name, sent]];
    }),
  );
}

/** What an error body says; null when it is not one. */
export function readVectorComplaint(body: string): UpstreamComplaint | null {
  return vectorComplaintIn(tryParseJson(body));
}

/** The error for an answer without what was asked for: the complaint that it is instead, if it is one. */
export function notAnAnswer(json: unknown, reason: string): Error {
  const complaint = vectorComplaintIn(json);
  return complaint === null ? new UnreadableAnswerError(reason) : new ComplaintError(complaint);
}

/**
 * The forms of chat completions; those of TEI's own paths, `{error: "…", error_type}`; bare ones,
 * `{message, code, type}` (Cohere, TEI's OpenAI-compatible path).
 */
function vectorComplaintIn(json: unknown): UpstreamComplaint | null {
  const complaint = complaintIn(json);
  if (!isJsonObject(json)) return complaint;
  const kind = asFilledText(json['error_type']);
  if (complaint !== null) return { ...complaint, type: complaint.type ?? kind ?? null };
  const message = asFilledText(json['message']);
  return message === undefined ? null : bareComplaint(json, message);
}

function bareComplaint(json: Readonly<Record<string, unknown>>, message: string): UpstreamComplaint {
  const code = asNumber(json['code']) ?? asNumber(json['status']);
  return {
    message,
    code: asFilledText(json['code']) ?? null,
    type: asFilledText(json['type']) ?? null,
    param: null,
    status: code !== undefined && code >= 400 && code <= 599 ? code : null,
  };
}
