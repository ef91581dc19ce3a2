/** Checks one block of a message: it holds one thing, and that is sound. */
import { isObject, type JsonObject, readList, readObject, readText } from '../../json.ts';
import { signatureOf } from '../messages/message.ts';
import { isBase64, unknownField } from '../strict-fields.ts';
import { refuse } from './problem.ts';

const blockKinds = [
  ...['text', 'image', 'document', 'video', 'toolUse', 'toolResult', 'reasoningContent'],
  ...['cachePoint', 'guardContent', 'citationsContent', 'searchResult', 'audio'],
];
const resultKinds = ['text', 'json', 'image', 'document', 'video', 'searchResult'];
const imageFormats = ['png', 'jpeg', 'gif', 'webp'];
const documentFormats = ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'];

export function checkBlock(block: unknown, role: string, at: string): void {
  const kind = demandOne(block, blockKinds, at);
  const value = readObject(block, kind);
  const isMachine = kind === 'toolUse' || kind === 'reasoningContent';
  if (isMachine && role !== 'assistant') throw refuse(`${at}: only an assistant says ${kind}.`);
  if (kind === 'toolResult' && role !== 'user') throw refuse(`${at}: only a user gives a toolResult.`);
  if (kind === 'text') checkText(block, at);
  if (kind === 'image') checkFile(value, imageFormats, `${at}.image`);
  if (kind === 'document') checkDocument(value, `${at}.document`);
  if (kind === 'toolUse') checkToolUse(value, `${at}.toolUse`);
  if (kind === 'toolResult') checkToolResult(value, `${at}.toolResult`);
  if (kind === 'reasoningContent') checkReasoning(value, `${at}.reasoningContent`);
}

function demandOne(block: unknown, kinds: readonly string[], at: string): string {
  const names = Object.keys(isObject(block) ? block : {});
  const [kind] = names;
  if (names.length === 1 && kind !== undefined && kinds.includes(kind)) return kind;
  throw refuse(`${at}: it must set one of ${kinds.join(', ')}, not ${names.join(' and ') || 'nothing'}.`);
}

export function checkText(block: unknown, at: string): void {
  if (!readText(block, 'text')?.trim()) throw refuse(`${at}.text: it is blank.`);
}

function checkFile(file: JsonObject, formats: readonly string[], at: string): void {
  const format = readText(file, 'format');
  if (format === undefined || !formats.includes(format)) {
    throw refuse(`${at}.format: ${JSON.stringify(format)} is none of ${formats.join(', ')}.`);
  }
  const source = readObject(file, 'source');
  const kind = demandOne(source, ['bytes', 's3Location', 'text', 'content'], `${at}.source`);
  if (kind === 'bytes' && !isBase64(readText(source, 'bytes') ?? '')) {
    throw refuse(`${at}.source.bytes: it is not base64.`);
  }
}

function checkDocument(document: JsonObject, at: string): void {
  checkFile(document, documentFormats, at);
  const name = readText(document, 'name') ?? '';
  if (!/^[\w\-()[\] ]{1,200}$/.test(name) || name.includes('  ') || name.includes('_')) {
    throw refuse(`${at}.name: "${name}" has characters that a name may not have.`);
  }
}

function checkToolUse(use: JsonObject, at: string): void {
  checkId(use, at);
  if (!/^[\w-]{1,64}$/.test(readText(use, 'name') ?? ''))
    throw refuse(`${at}.name: it is no name of a tool.`);
  if (!isObject(use['input'])) throw refuse(`${at}.input: it is not an object.`);
}

function checkToolResult(result: JsonObject, at: string): void {
  checkId(result, at);
  const stranger = unknownField(result, ['toolUseId', 'content', 'status', 'type']);
  if (stranger !== undefined) throw refuse(`${at}.${stranger}: it is not known.`);
  const status = result['status'] ?? 'success';
  if (status !== 'success' && status !== 'error') throw refuse(`${at}.status: it is success or error.`);
  if (!Array.isArray(result['content'])) throw refuse(`${at}.content: it is not a list.`);
  for (const [index, part] of readList(result, 'content').entries()) {
    const place = `${at}.content.${index}`;
    const kind = demandOne(part, resultKinds, place);
    if (kind === 'text') checkText(part, place);
    if (kind === 'json' && !isObject(Object(part).json)) throw refuse(`${place}.json: it is not an object.`);
    if (kind === 'image') checkFile(readObject(part, 'image'), imageFormats, `${place}.image`);
    if (kind === 'document') checkDocument(readObject(part, 'document'), `${place}.document`);
  }
}

function checkId(from: JsonObject, at: string): void {
  if (!/^[\w.:-]{1,64}$/.test(readText(from, 'toolUseId') ?? '')) {
    throw refuse(`${at}.toolUseId: "${from['toolUseId']}" is no id.`);
  }
}

function checkReasoning(reasoning: JsonObject, at: string): void {
  const kind = demandOne(reasoning, ['reasoningText', 'redactedContent'], at);
  const thought = readObject(reasoning, 'reasoningText');
  if (kind === 'reasoningText' && thought['signature'] !== signatureOf(readText(thought, 'text') ?? '')) {
    throw refuse(`${at}: the signature does not fit the text, or is missing.`);
  }
}
