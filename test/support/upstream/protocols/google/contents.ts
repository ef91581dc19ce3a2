/** The rules that a conversation is held to: roles, parts, calls and their responses. */
import { isObject, type JsonObject, readList, readObject, readText } from '../../json.ts';
import { isBase64 } from '../strict-fields.ts';
import { checkSignatures } from './check-signatures.ts';
import { refuse } from './problem.ts';

const dataMembers = [
  ...['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'],
  ...['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'],
];

export function checkContents(body: JsonObject, model: string): void {
  const contents = inTurns(readList(body, 'contents').filter(isObject));
  if (contents.length === 0) throw refuse('contents: none is given.');
  for (const [index, content] of contents.entries()) {
    const role = content['role'] ?? 'user';
    if (role !== 'user' && role !== 'model') {
      throw refuse(`contents[${index}].role: ${JSON.stringify(role)} is neither user nor model.`);
    }
    checkParts(content, `contents[${index}]`);
    checkPair(content, contents[index + 1], contents[index - 1], `contents[${index}]`);
  }
  if (body['systemInstruction'] !== undefined) {
    checkParts(readObject(body, 'systemInstruction'), 'systemInstruction');
  }
  checkSignatures(contents, model);
}

/** Contents of one role that follow each other are one turn, as clients give back the pieces of a stream. */
function inTurns(contents: readonly JsonObject[]): readonly JsonObject[] {
  const turns: JsonObject[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    if (last === undefined || content['role'] !== 'model' || last['role'] !== 'model') turns.push(content);
    else {
      const parts = [...readList(last, 'parts'), ...readList(content, 'parts')];
      turns[turns.length - 1] = { ...last, parts };
    }
  }
  return turns;
}

export function checkParts(content: JsonObject, place: string): void {
  const parts = readList(content, 'parts').filter(isObject);
  if (parts.length === 0) throw refuse(`${place}.parts: none is given.`);
  for (const [index, part] of parts.entries()) {
    const at = `${place}.parts[${index}]`;
    const held = dataMembers.filter((member) => part[member] !== undefined);
    if (held.length !== 1) throw refuse(`${at}: it holds ${held.join(' and ') || 'nothing'}; one is needed.`);
    // Its own streams end in such a part, which clients give back.
    const isOwn = content['role'] === 'model';
    if (part['text'] === '' && part['thoughtSignature'] === undefined && !isOwn)
      throw refuse(`${at}.text: it is empty.`);
    checkBlob(readObject(part, 'inlineData'), part['inlineData'] !== undefined, `${at}.inlineData`);
    checkFunction(part, at);
  }
}

function checkBlob(blob: JsonObject, isGiven: boolean, at: string): void {
  if (!isGiven) return;
  if (!/^\w+\/[\w.+-]+/.test(readText(blob, 'mimeType') ?? ''))
    throw refuse(`${at}.mimeType: it is missing.`);
  if (!isBase64(readText(blob, 'data') ?? '')) throw refuse(`${at}.data: it is not base64.`);
}

function checkFunction(part: JsonObject, at: string): void {
  for (const [member, field] of [
    ['functionCall', 'args'],
    ['functionResponse', 'response'],
  ] as const) {
    const given = part[member];
    if (given === undefined) continue;
    if (!readText(given, 'name')) throw refuse(`${at}.${member}.name: it is empty.`);
    const value = readObject(part, member)[field];
    const isMissing = value === undefined && member === 'functionCall';
    if (!isMissing && !isObject(value)) throw refuse(`${at}.${member}.${field}: it is not an object.`);
  }
}

/** Calls come from the model after a user, and all their responses, and nothing less, come next. */
function checkPair(
  content: JsonObject,
  after: JsonObject | undefined,
  before: JsonObject | undefined,
  at: string,
): void {
  const calls = namesIn(content, 'functionCall');
  if (calls.length > 0) {
    if (content['role'] !== 'model') throw refuse(`${at}: only the model calls functions.`);
    if (before === undefined || before['role'] === 'model') throw refuse(`${at}: a call must follow a user.`);
    const responses = namesIn(after, 'functionResponse');
    if (responses.toSorted().join() !== calls.toSorted().join()) {
      throw refuse(
        `${at}: it calls ${calls.join(', ')}; next come responses of ${responses.join(', ') || 'none'}.`,
      );
    }
  }
  if (namesIn(content, 'functionResponse').length > 0 && namesIn(before, 'functionCall').length === 0) {
    throw refuse(`${at}: there is no call before these responses.`);
  }
}

function namesIn(content: unknown, member: string): string[] {
  return readList(content, 'parts')
    .filter((part) => isObject(part) && part[member] !== undefined)
    .map((part) => readText(readObject(part, member), 'name') ?? '');
}
