/** Content parts of input items into blocks of the form. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { CacheMark, DocumentBlock, ImageBlock, TextBlock } from '../turn/blocks.ts';
import { decodeText, readUrl } from '../turn/media.ts';
import { cannotRead } from '../turn/refuse.ts';

export type InputBlock = TextBlock | ImageBlock | DocumentBlock;

/** Of a message, or of the output of a tool. */
export function readInputParts(content: unknown): readonly InputBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content).flatMap((part) => readInputPart(part) ?? []);
}

export function readTextParts(content: unknown): readonly TextBlock[] {
  return readInputParts(content).filter((block) => block.type === 'text');
}

function readInputPart(part: JsonObject): InputBlock | undefined {
  const cache = readCacheMark(part);
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const text = asFilledText(part['text']);
      return text === undefined ? undefined : { type: 'text', text, cache };
    }
    case 'input_image':
      return { ...readImage(part), cache };
    case 'input_file':
      return { ...readFile(part), cache };
    default:
      throw cannotRead(
        'input',
        `content of the type ${String(part['type'])} is not supported for this model`,
      );
  }
}

/** The protocol's marks have lifetimes of their own, which no other protocol has. */
function readCacheMark(part: JsonObject): CacheMark | undefined {
  return asObject(part['prompt_cache_breakpoint']) === undefined ? undefined : {};
}

function readImage(part: JsonObject): ImageBlock {
  const detail = asText(part['detail']);
  const id = asFilledText(part['file_id']);
  if (id !== undefined) return { type: 'image', source: { kind: 'file', id, vendor: 'openai' }, detail };
  const url = asFilledText(part['image_url']);
  if (url === undefined) throw cannotRead('input', 'an input_image needs image_url or file_id');
  return { type: 'image', source: readUrl(url), detail };
}

function readFile(part: JsonObject): InputBlock {
  const title = asFilledText(part['filename']);
  const id = asFilledText(part['file_id']);
  if (id !== undefined) {
    return { type: 'document', source: { kind: 'file', id, vendor: 'openai' }, title };
  }
  const url = asFilledText(part['file_url']);
  if (url !== undefined) return readSource(readUrl(url), title);
  const data = asFilledText(part['file_data']);
  if (data === undefined) throw cannotRead('input', 'an input_file needs file_data, file_url or file_id');
  if (data.startsWith('data:')) return readSource(readUrl(data), title);
  return { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data }, title };
}

function readSource(source: ReturnType<typeof readUrl>, title: string | undefined): InputBlock {
  if (source.kind === 'url') return { type: 'document', source, title };
  if (source.mediaType.startsWith('image/')) return { type: 'image', source };
  if (!source.mediaType.startsWith('text/')) return { type: 'document', source, title };
  return { type: 'document', source: { kind: 'text', text: decodeText(source.data) }, title };
}
