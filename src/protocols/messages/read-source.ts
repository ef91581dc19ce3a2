/** Where images and documents of the messages protocol come from. */
import { asFilledText, type JsonObject } from '../json/fields.ts';
import type { MediaSource } from '../turn/blocks.ts';
import { readMediaType, readUrl } from '../turn/media.ts';
import { cannotRead } from '../turn/refuse.ts';

export function readMediaSource(source: JsonObject | undefined): MediaSource {
  switch (source?.['type']) {
    case 'base64': {
      const mediaType = asFilledText(source['media_type']);
      const data = asFilledText(source['data']);
      if (mediaType === undefined || data === undefined) throw unreadable('base64 needs media_type and data');
      return { kind: 'base64', mediaType: readMediaType(mediaType), data };
    }
    case 'url': {
      const url = asFilledText(source['url']);
      if (url === undefined) throw unreadable('url needs a url');
      return readUrl(url);
    }
    case 'file': {
      const id = asFilledText(source['file_id']);
      if (id === undefined) throw unreadable('file needs a file_id');
      return { kind: 'file', id, vendor: 'anthropic' };
    }
    default:
      throw unreadable('the type of the source is not known');
  }
}

const unreadable = (reason: string) =>
  cannotRead('messages', `the source of an image or document: ${reason}`);
