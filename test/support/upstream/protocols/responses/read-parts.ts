/** Checks the parts of a message's content, and of a tool's output. */
import { isObject, type JsonObject, readText } from '../../json.ts';
import { isBase64 } from '../strict-fields.ts';
import { demandKnown, refuse, refuseValue } from './refuse.ts';

const knownFields: Readonly<Record<string, readonly string[]>> = {
  input_text: ['type', 'text', 'prompt_cache_breakpoint'],
  input_image: ['type', 'image_url', 'file_id', 'detail', 'prompt_cache_breakpoint'],
  input_file: ['type', 'file_id', 'file_data', 'file_url', 'filename', 'detail', 'prompt_cache_breakpoint'],
  output_text: ['type', 'text', 'annotations', 'logprobs'],
  refusal: ['type', 'refusal'],
};

export const inputParts = ['input_text', 'input_image', 'input_file'];
export const spokenParts = ['output_text', 'refusal'];
export const instructionParts = ['input_text'];

/** Text is always taken; a list may hold parts of the given types only. */
export function checkParts(content: unknown, types: readonly string[], place: string): void {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuseValue(place, content, 'text or a list of parts');
  for (const [index, part] of content.entries()) checkPart(part, types, `${place}[${index}]`);
}

function checkPart(part: unknown, types: readonly string[], place: string): void {
  const type = readText(part, 'type');
  if (!isObject(part) || type === undefined || !types.includes(type)) {
    throw refuseValue(`${place}.type`, type, types.join(', '));
  }
  demandKnown(part, knownFields[type] ?? [], place);
  if (type === 'refusal') demandText(part, 'refusal', place);
  if (type === 'input_text' || type === 'output_text') demandText(part, 'text', place);
  if (type === 'input_image') checkImage(part, place);
  if (type === 'input_file') checkFile(part, place);
}

function checkImage(part: JsonObject, place: string): void {
  const url = readText(part, 'image_url');
  if (url === undefined && readText(part, 'file_id') === undefined) {
    throw refuseValue(`${place}.image_url`, undefined, 'an address, unless there is a file_id');
  }
  if (url !== undefined && !/^https?:\/\//.test(url) && !isDataUrl(url, 'image/')) {
    throw refuseValue(`${place}.image_url`, url.slice(0, 40), 'a web address or a data URL of an image');
  }
}

function checkFile(part: JsonObject, place: string): void {
  const data = readText(part, 'file_data');
  if (data === undefined) {
    if (readText(part, 'file_id') ?? readText(part, 'file_url')) return;
    throw refuseValue(`${place}.file_data`, undefined, 'a file, unless there is a file_id or a file_url');
  }
  if (!isDataUrl(data, '')) throw refuseValue(`${place}.file_data`, data.slice(0, 40), 'a data URL');
  if (readText(part, 'filename') === undefined) {
    throw refuse({
      message: 'A file needs a name.',
      param: `${place}.filename`,
      code: 'missing_required_parameter',
    });
  }
}

function isDataUrl(text: string, mediaType: string): boolean {
  const comma = text.indexOf(',');
  const head = text.slice(0, comma);
  return head.startsWith(`data:${mediaType}`) && head.endsWith(';base64') && isBase64(text.slice(comma + 1));
}

function demandText(part: JsonObject, field: string, place: string): void {
  if (readText(part, field) === undefined) throw refuseValue(`${place}.${field}`, part[field], 'text');
}
