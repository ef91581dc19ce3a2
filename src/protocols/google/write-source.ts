/** Media of the form as parts of generateContent requests. */

import type { JsonObject } from '../json/fields.ts';
import type { AudioBlock, MediaSource } from '../turn/blocks.ts';
import { refuse } from '../turn/refuse.ts';
import { mediaTypeOf } from './media-type.ts';
import { filesUrl } from './read-source.ts';

/** A URL must be open to the vendor, which fetches it and refuses what it cannot reach. */
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
