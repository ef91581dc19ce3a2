/** Images that a model made, in the place where routers and hosts have them beside the text. */
import { asFilledText, asObject, asObjects, type JsonObject } from '../json/fields.ts';
import type { MadeImage } from '../turn/answer.ts';
import { readUrl, writeUrl } from '../turn/media.ts';

/** Of a message or a delta. */
export function readImages(images: unknown): readonly MadeImage[] {
  return asObjects(images).flatMap((image) => {
    const url = asFilledText(asObject(image['image_url'])?.['url']) ?? asFilledText(image['image_url']);
    return url === undefined ? [] : [readUrl(url)];
  });
}

/** @param first the index of the first: clients put together what comes in a stream under one index. */
export function writeImages(images: readonly MadeImage[] = [], first = 0): readonly JsonObject[] | undefined {
  if (images.length === 0) return undefined;
  return images.map((image, at) => ({
    type: 'image_url',
    index: first + at,
    image_url: { url: writeUrl(image) },
  }));
}
