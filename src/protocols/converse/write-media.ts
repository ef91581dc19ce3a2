/** Images, documents and sounds of the form as blocks of the Converse API. */

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
import type { DocumentNames } from './document-names.ts';
import { formatOfName, type MediaKind, writeFormat } from './media-format.ts';

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
