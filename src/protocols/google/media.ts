/** This file reads and writes the media of generateContent: bytes inside the request, files of Google’s, and URLs. */
import { asFilledText, asObject, type JsonObject } from '../json/fields.ts';
import type { AudioBlock, DocumentBlock, ImageBlock, MediaSource } from '../turn/blocks.ts';
import { readMediaType, readUrl } from '../turn/media.ts';
import { cannotRead, refuse } from '../turn/refuse.ts';

/** Google keeps the files that were uploaded to it here. */
const filesUrl = 'https://generativelanguage.googleapis.com/v1beta/files/';

/** Undefined when the part holds no media. */
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

/** A URL must be open to Google, which fetches it and refuses the request when it cannot. */
export function writeMedia(kind: 'image' | 'document', source: MediaSource): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case 'url':
      return { fileData: { mimeType: mediaTypeOf(kind, source.url), fileUri: source.url } };
    case 'file': {
      if (source.vendor !== 'google') throw refuse('a file by an id of another vendor', 'messages');
      const fileUri = source.id.includes('://') ? source.id : `${filesUrl}${source.id}`;
      return { fileData: { mimeType: mediaTypeOf(kind, source.id), fileUri } };
    }
  }
}

export function writeAudio({ source }: AudioBlock): JsonObject {
  const mimeType = source.mediaType === 'audio/mpeg' ? 'audio/mp3' : source.mediaType;
  return { inlineData: { mimeType, data: source.data } };
}

const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
};

const documentTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  csv: 'text/csv',
  xml: 'text/xml',
  rtf: 'text/rtf',
  json: 'application/json',
};

/** The protocol demands a media type. Where a URL does not tell it, this is what most images and documents are. */
const usual = { image: 'image/jpeg', document: 'application/pdf' } as const;

function mediaTypeOf(kind: 'image' | 'document', url: string): string {
  const types = kind === 'image' ? imageTypes : documentTypes;
  return types[extensionOf(url)] ?? usual[kind];
}

function isImage(mediaType: string | undefined, url: string): boolean {
  return mediaType === undefined
    ? Object.hasOwn(imageTypes, extensionOf(url))
    : mediaType.startsWith('image/');
}

function extensionOf(url: string): string {
  const path = /^[^?#]*/.exec(url)?.[0] ?? '';
  return (/\.(\w{2,4})$/.exec(path)?.[1] ?? '').toLowerCase();
}
