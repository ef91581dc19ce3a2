/** Checks the thought signatures that come back: unchanged in every turn, and complete in the present one. */
import { isObject, type JsonObject, readList, readObject, readText } from '../../json.ts';
import { refuse } from './problem.ts';
import { isStandIn, signatureOfCall, signatureOfText } from './thought-signature.ts';

export function checkSignatures(contents: readonly JsonObject[], model: string): void {
  const isStrict = demandsSignatures(model);
  const start = contents.findLastIndex((content) => content['role'] !== 'model' && !isAnswer(content)) + 1;
  for (const [index, content] of contents.entries()) {
    const parts = readList(content, 'parts').filter(isObject);
    const calls = parts.filter((part) => part['functionCall'] !== undefined);
    for (const part of parts) checkSignature(part, `contents[${index}]`);
    const [first] = calls;
    if (isStrict && index >= start && first !== undefined && first['thoughtSignature'] === undefined) {
      throw refuse(`contents[${index}]: the first call has lost its thought signature.`);
    }
  }
}

export function demandsSignatures(model: string): boolean {
  return /^gemini-[3-9]/.test(model);
}

function isAnswer(content: JsonObject): boolean {
  return readList(content, 'parts').every((part) => isObject(part) && part['functionResponse'] !== undefined);
}

function checkSignature(part: JsonObject, at: string): void {
  if (part['thoughtSignature'] === undefined) return;
  const signature = readText(part, 'thoughtSignature') ?? '';
  if (isStandIn(signature)) return;
  const call = readObject(part, 'functionCall');
  const expected =
    part['functionCall'] === undefined
      ? signatureOfText()
      : signatureOfCall(readText(call, 'name') ?? '', call['args']);
  if (signature !== expected)
    throw refuse(`${at}: a thought signature was changed, or stands in a wrong place.`);
}
