/** Responses to responses: the bytes pass through; only the model changes, and what the upstream could not read back. */
import { asFilledText, asList, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { replaceMembers } from '../json/members.ts';
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
  const members = new Map([['model', JSON.stringify(upstreamId)]]);
  if (text.includes(madeUpReasoningId) || text.includes('"sluice')) {
    members.set('input', JSON.stringify(asList(json['input']).flatMap(withoutForeign)));
  }
  return replaceMembers(text, members);
}

/** Reasoning of another vendor's model, from before the conversation moved here: the upstream would refuse it. */
function withoutForeign(item: unknown): readonly unknown[] {
  if (!isJsonObject(item) || item['type'] !== 'reasoning') return [item];
  const encrypted = asFilledText(item['encrypted_content']);
  const isMadeUp = asFilledText(item['id'])?.startsWith(madeUpReasoningId) === true;
  if (encrypted === undefined) return isMadeUp ? [] : [item];
  if (unpackToolSignature(encrypted) !== null || readEncrypted(encrypted).origin !== 'openai') return [];
  return [isMadeUp ? withoutId(item) : item];
}

/** What is encrypted fits the id that the upstream gave and no other; without one it is taken. */
function withoutId({ id: _id, content: _content, ...item }: JsonObject): JsonObject {
  return item;
}

function readAnswer(body: string): WholeAnswer {
  const response = readResponse(tryParseJson(body));
  const usage = readResponsesUsage(response['usage']);
  const generatedCharacters = usage === null ? JSON.stringify(response['output']).length : 0;
  return { body, usage, generatedCharacters };
}
