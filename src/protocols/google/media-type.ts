/** Types of media by URL, since the protocol names one beside each and others do not say. */

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

/** What most images and documents are, where the URL does not tell. */
const usual = { image: 'image/jpeg', document: 'application/pdf' } as const;

export function mediaTypeOf(kind: 'image' | 'document', url: string): string {
  const types = kind === 'image' ? imageTypes : documentTypes;
  return types[extensionOf(url)] ?? usual[kind];
}

export function isImage(mediaType: string | undefined, url: string): boolean {
  return mediaType === undefined
    ? Object.hasOwn(imageTypes, extensionOf(url))
    : mediaType.startsWith('image/');
}

function extensionOf(url: string): string {
  const path = /^[^?#]*/.exec(url)?.[0] ?? '';
  return (/\.(\w{2,4})$/.exec(path)?.[1] ?? '').toLowerCase();
}
