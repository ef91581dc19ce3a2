/** Responses to responses: the bytes pass through; only the model changes, and what the upstream could not read back. */
import { asFilledText, asList, isJsonObject, tryParseJson } from '../json/fields.ts';
import { editEntries, editMembers, type MemberEdit } from '../json/members.ts';
import { skimObject } from '../json/skim.ts';
import type { InferenceRequest, Translator, WholeAnswer } from '../translator.ts';
import { unpackToolSignature } from '../turn/signature.ts';
import { readResponse } from './answer.ts';
import { readResponsesComplaint } from './errors.ts';
import { madeUpReasoningId, readEncrypted } from './items.ts';
import { readResponsesUsage } from './outcome.ts';
import { ResponsesPassthroughStream } from './passthrough-stream.ts';

export const responsesPassthrough: Translator = {
  writeRequest,
  readAnswer,
  readComplaint: readResponsesComplaint,
  openStream: () => new ResponsesPassthroughStream(),
};

function writeRequest({ text, json }: InferenceRequest, upstreamId: string): string {
  const edits = new Map<string, MemberEdit>([['model', JSON.stringify(upstreamId)]]);
  const items = asList(json['input']);
  if (items.length > 0 && (text.includes(madeUpReasoningId) || text.includes('"sluice'))) {
    edits.set('input', (own) => editEntries(own, (item, at) => withoutForeign(item, items[at])));
  }
  return editMembers(text, edits, json);
}

/**
 * Reasoning of another vendor's model, from before the conversation moved here, is left out: the upstream would refuse
 * it. What is encrypted fits the id that the upstream gave and no other; without one it is taken.
 */
function withoutForeign(own: string, item: unknown): string | null {
  if (!isJsonObject(item) || item['type'] !== 'reasoning') return own;
  const encrypted = asFilledText(item['encrypted_content']);
  const isMadeUp = asFilledText(item['id'])?.startsWith(madeUpReasoningId) === true;
  if (encrypted === undefined) return isMadeUp ? null : own;
  if (unpackToolSignature(encrypted) !== null || readEncrypted(encrypted).origin !== 'openai') return null;
  return isMadeUp ? editMembers(own, withoutId, item) : own;
}

const withoutId: ReadonlyMap<string, MemberEdit> = new Map([
  ['id', null],
  ['content', null],
]);

const ends = { list: 'output', last: 'usage' } as const;

/** Only an answer that says in front of its output how it ended can be taken by its ends: one that failed is an error. */
function readAnswer(body: string): WholeAnswer {
  const skimmed = skimObject(body, ends);
  const hasSucceeded = asFilledText(skimmed?.['status']) !== undefined && skimmed?.['status'] !== 'failed';
  const usage = hasSucceeded ? readResponsesUsage(skimmed?.['usage']) : null;
  return usage === null ? readWhole(body) : { body, usage, generatedCharacters: 0 };
}

function readWhole(body: string): WholeAnswer {
  const response = readResponse(tryParseJson(body));
  const usage = readResponsesUsage(response['usage']);
  const generatedCharacters = usage === null ? JSON.stringify(response['output']).length : 0;
  return { body, usage, generatedCharacters };
}
