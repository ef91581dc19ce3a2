/** Writes images, documents and sounds as blocks of the Converse API. */
import type { JsonObject } from '../json/fields.ts';
import { isBlank } from '../messages/write-messages.ts';
import type {
  AudioBlock,
  DocumentBlock,
  FileSource,
  ImageBlock,
  TextBlock,
  UrlSource,
} from '../turn/blocks.ts';
import { refuse } from '../turn/refuse.ts';

const plurals = { image: 'images', document: 'documents', audio: 'audio' } as const satisfies Record<
  MediaKind,
  string
>;

export interface MediaWriting {
  readonly names: DocumentNames;
  /** That callers may name files in. */
  readonly buckets: ReadonlySet<string>;
}

export function writeImage({ source }: ImageBlock, { buckets }: MediaWriting): JsonObject {
  if (source.kind === 'base64') return { image: writeBytes('image', source) };
  return { image: writeStored('image', source, buckets) };
}

export function writeAudio({ source }: AudioBlock): JsonObject {
  return { audio: writeBytes('audio', source) };
}

/** Text goes as the bytes of a text file, which every model takes; images inside of it follow behind. */
export function writeDocument(document: DocumentBlock, writing: MediaWriting): readonly JsonObject[] {
  const { names, buckets } = writing;
  const { source, title, context } = document;
  const put = (file: JsonObject): JsonObject => ({
    document: { ...file, name: names.take(title), context: context === '' ? undefined : context },
  });
  switch (source.kind) {
    case 'base64':
      return [put(writeBytes('document', source))];
    case 'text':
      return [put(textFile(source.text))];
    case 'content': {
      const text = source.content.flatMap(textOf).join('\n\n');
      const images = source.content.flatMap((block) =>
        block.type === 'image' ? [writeImage(block, writing)] : [],
      );
      return isBlank(text) ? images : [put(textFile(text)), ...images];
    }
    case 'url':
    case 'file':
      return [put(writeStored('document', source, buckets))];
  }
}

const textOf = (block: TextBlock | ImageBlock): readonly string[] =>
  block.type === 'text' ? [block.text] : [];

const textFile = (text: string): JsonObject => ({
  format: 'txt',
  source: { bytes: Buffer.from(text).toString('base64') },
});

function writeBytes(kind: MediaKind, { mediaType, data }: { mediaType: string; data: string }): JsonObject {
  const format = writeFormat(kind, mediaType);
  if (format === undefined) throw refuse(`${plurals[kind]} of the type ${mediaType}`, 'messages');
  return { format, source: { bytes: data } };
}

/** The API fetches nothing but files of the vendor's own store, and those with the account's rights, not the caller's. */
function writeStored(
  kind: 'image' | 'document',
  source: UrlSource | FileSource,
  buckets: ReadonlySet<string>,
): JsonObject {
  if (source.kind === 'file') throw refuse('a file by an id of another vendor', 'messages');
  const [, bucket] = /^s3:\/\/([^/]+)\/./.exec(source.url) ?? [];
  if (bucket === undefined) throw refuse(`${plurals[kind]} by URL`, 'messages');
  if (!buckets.has(bucket)) throw refuse(`${plurals[kind]} from this bucket`, 'messages');
  const format = formatOfName(kind, source.url);
  if (format === undefined) throw refuse(`${plurals[kind]} without a known file ending`, 'messages');
  return { format, source: { s3Location: { uri: source.url } } };
}

const images: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const documents: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
]);

const sounds: ReadonlyMap<string, string> = new Map([
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/flac', 'flac'],
  ['audio/ogg', 'ogg'],
  ['audio/opus', 'opus'],
  ['audio/aac', 'aac'],
  ['audio/mp4', 'm4a'],
  ['audio/webm', 'webm'],
  ['audio/pcm', 'pcm'],
]);

/** By media type, the short names that the API has for formats. */
const formats = { image: images, document: documents, audio: sounds } as const;

type MediaKind = keyof typeof formats;

/** Undefined for a type that the API does not take. Text of any kind is taken as plain text. */
function writeFormat(kind: MediaKind, mediaType: string): string | undefined {
  const known = formats[kind].get(mediaType);
  if (known !== undefined || kind !== 'document') return known;
  return mediaType.startsWith('text/') || mediaType === 'application/json' ? 'txt' : undefined;
}

/** Of a file that lies in a bucket, by the ending of its name. */
function formatOfName(kind: MediaKind, name: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const format = ending === 'jpg' ? 'jpeg' : ending;
  return [...formats[kind].values()].includes(format) ? format : undefined;
}

/** Longer ones are cut here; the API takes 200 characters, of which a number behind the name needs some. */
const maxCharacters = 180;

/**
 * The API demands a name for each document, which no other of the request has, and of few kinds of characters. Since the
 * model reads the names, they stay as near to the titles as that allows.
 */
export class DocumentNames {
  readonly #taken = new Set<string>();
  /** Where to go on counting, so that many documents of one title do not try all the numbers again. */
  readonly #lastNumber = new Map<string, number>();

  /** The same titles in the same order give the same names, so that a cached prompt stays the same. */
  take(title: string | undefined): string {
    const wanted = plainName(title ?? '');
    let name = wanted;
    let number = this.#lastNumber.get(wanted) ?? 1;
    while (this.#taken.has(name)) {
      number += 1;
      name = `${wanted} (${number})`;
    }
    this.#lastNumber.set(wanted, number);
    this.#taken.add(name);
    return name;
  }
}

function plainName(title: string): string {
  const kept = title
    .replaceAll(/[^A-Za-z0-9\s\-()[\]]+/g, '-')
    .replaceAll(/\s+/g, ' ')
    .slice(0, maxCharacters)
    .trim();
  return /[A-Za-z0-9]/.test(kept) ? kept : 'document';
}
