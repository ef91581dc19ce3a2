/** Media as URLs and as bytes in base64. */
import type { Base64Source, UrlSource } from './blocks.ts';
import { cannotRead } from './refuse.ts';

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*(;base64)?,/i;

/** Names that browsers and clients have for JPEG, which vendors refuse. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
]);

export function readMediaType(name: string): string {
  return otherNames.get(name.toLowerCase()) ?? name;
}

/** A data URL as bytes, any other as it is. */
export function readUrl(url: string): Base64Source | UrlSource {
  if (!url.startsWith('data:')) return { kind: 'url', url };
  const match = dataUrl.exec(url.slice(0, 256));
  if (match === null) return { kind: 'url', url };
  const mediaType = readMediaType((match[1] ?? 'text/plain').toLowerCase());
  const body = url.slice(match[0].length);
  if (match[2] !== undefined) return { kind: 'base64', mediaType, data: body };
  return { kind: 'base64', mediaType, data: Buffer.from(unescapeUrl(body)).toString('base64') };
}

function unescapeUrl(body: string): string {
  try {
    return decodeURIComponent(body);
  } catch {
    throw cannotRead('messages', 'a data URL has a % that begins no escape; write it as %25, or use base64');
  }
}

export function writeUrl(source: Base64Source | UrlSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

export function decodeText(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
