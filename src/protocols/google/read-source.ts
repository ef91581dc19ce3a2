/** Where media of generateContent come from: bytes inside the request, files of the vendor, URLs. */
import { asFilledText, asObject, type JsonObject } from '../json/fields.ts';
import type { AudioBlock, DocumentBlock, ImageBlock, MediaSource } from '../turn/blocks.ts';
import { readMediaType, readUrl } from '../turn/media.ts';
import { cannotRead } from '../turn/refuse.ts';
import { isImage } from './media-type.ts';

/** Where the vendor keeps files that were uploaded to it. */
export const filesUrl = 'https://generativelanguage.googleapis.com/v1beta/files/';

/** Undefined when the part is none of these. */
export function readMedia(part: JsonObject): ImageBlock | DocumentBlock | AudioBlock | undefined {
  const bytes = asObject(part['inlineData']);
  if (bytes !== undefined) return readBytes(bytes);
  const file = asObject(part['fileData']);
  return file === undefined ? undefined : readFile(file);
}

function readBytes(bytes: JsonObject): ImageBlock | DocumentBlock | AudioBlock {
  const mediaType = asFilledText(bytes['mimeType']);
  const data = asFilledText(bytes['data']);
  if (mediaType === undefined || data === undefined) {
    throw cannotRead('contents', 'inlineData needs mimeType and data');
  }
  const source = { kind: 'base64', mediaType: readMediaType(mediaType), data } as const;
  if (mediaType.startsWith('image/')) return { type: 'image', source };
  if (!mediaType.startsWith('audio/')) return { type: 'document', source };
  return {
    type: 'audio',
    source: mediaType === 'audio/mp3' ? { ...source, mediaType: 'audio/mpeg' } : source,
  };
}

function readFile(file: JsonObject): ImageBlock | DocumentBlock {
  const uri = asFilledText(file['fileUri']);
  if (uri === undefined) throw cannotRead('contents', 'fileData needs a fileUri');
  const type = isImage(asFilledText(file['mimeType']), uri) ? 'image' : 'document';
  return { type, source: readUri(uri) };
}

function readUri(uri: string): MediaSource {
  if (uri.startsWith(filesUrl)) return { kind: 'file', id: uri.slice(filesUrl.length), vendor: 'google' };
  return uri.startsWith('gs://') ? { kind: 'file', id: uri, vendor: 'google' } : readUrl(uri);
}
