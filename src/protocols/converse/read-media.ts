/** Images, documents and sounds of the Converse API into the form. */
import { asFilledText, asList, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { AudioBlock, DocumentBlock, ImageBlock, TextBlock, UrlSource } from '../turn/blocks.ts';
import { cannotRead } from '../turn/refuse.ts';
import { type MediaKind, readFormat } from './media-format.ts';

export function readImage(image: JsonObject): ImageBlock {
  const source = asObject(image['source']);
  return { type: 'image', source: readStored(source) ?? readBytes('image', image) };
}

export function readAudio(audio: JsonObject): AudioBlock {
  return { type: 'audio', source: readBytes('audio', audio) };
}

export function readDocument(document: JsonObject): DocumentBlock {
  return {
    type: 'document',
    source: readDocumentSource(document),
    title: asFilledText(document['name']),
    context: asFilledText(document['context']),
  };
}

function readDocumentSource(document: JsonObject): DocumentBlock['source'] {
  const source = asObject(document['source']);
  const text = asText(source?.['text']);
  if (text !== undefined) return { kind: 'text', text };
  if (asList(source?.['content']).length > 0) {
    return { kind: 'content', content: asObjects(source?.['content']).flatMap(readText) };
  }
  return readStored(source) ?? readBytes('document', document);
}

function readText(part: JsonObject): readonly TextBlock[] {
  const text = asFilledText(part['text']);
  return text === undefined ? [] : [{ type: 'text', text }];
}

function readStored(source: JsonObject | undefined): UrlSource | undefined {
  const url = asFilledText(asObject(source?.['s3Location'])?.['uri']);
  return url === undefined ? undefined : { kind: 'url', url };
}

function readBytes(kind: MediaKind, block: JsonObject) {
  const format = asFilledText(block['format']);
  const data = asFilledText(asObject(block['source'])?.['bytes']);
  if (data === undefined) throw cannotRead('messages', `${article(kind)} needs bytes or an s3Location`);
  if (format === undefined && kind !== 'document') {
    throw cannotRead('messages', `${article(kind)} needs a format`);
  }
  return { kind: 'base64', mediaType: readFormat(kind, format ?? 'txt'), data } as const;
}

const article = (kind: MediaKind): string => (kind === 'document' ? 'a document' : `an ${kind}`);
