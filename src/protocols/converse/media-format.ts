/** The short names that the Converse API has for kinds of images, documents and sounds. */

const images: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

const documents: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};

const sounds: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/opus': 'opus',
  'audio/aac': 'aac',
  'audio/mp4': 'm4a',
  'audio/webm': 'webm',
  'audio/pcm': 'pcm',
};

const tables = { image: images, document: documents, audio: sounds } as const;

export type MediaKind = keyof typeof tables;

/** Undefined for a type that the API does not take. Text of any kind is taken as plain text. */
export function writeFormat(kind: MediaKind, mediaType: string): string | undefined {
  const known = tables[kind][mediaType];
  if (known !== undefined || kind !== 'document') return known;
  return mediaType.startsWith('text/') || mediaType === 'application/json' ? 'txt' : undefined;
}

export function readFormat(kind: MediaKind, format: string): string {
  const match = Object.entries(tables[kind]).find(([, known]) => known === format);
  return match?.[0] ?? `${kind === 'document' ? 'application' : kind}/${format}`;
}

/** Of a file that lies in a bucket, by the ending of its name. */
export function formatOfName(kind: MediaKind, name: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const format = ending === 'jpg' ? 'jpeg' : ending;
  return Object.values(tables[kind]).includes(format) ? format : undefined;
}
