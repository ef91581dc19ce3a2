/**
 * What the files in a request cost: an image by its pixels, audio by its seconds, a PDF by its pages. As of 2026-11-21,
 * from what vendors publish, but for what is said to be measured:
 *
 * - Anthropic's images: https://platform.claude.com/docs/en/build-with-claude/vision
 * - OpenAI's images: https://developers.openai.com/api/docs/guides/images-vision
 * - Gemini's images and sound: https://ai.google.dev/gemini-api/docs/media-resolution and
 *   https://ai.google.dev/gemini-api/docs/tokens
 */

import { readDurationMs, recognizeContainer } from '../audio-file/audio-file.ts';
import type { ImageBlock } from '../turn/blocks.ts';
import { type ImageSize, readImageSize } from './image-size.ts';
import type { ImageRule } from './model-rates.ts';

/** Anthropic: a token for a square of 28 pixels, up to the bound of the models that see most. */
const anthropicSquare = 28;
const mostImageTokens = 4784;

/** OpenAI's older models: tiles of 512 pixels after the image was made to fit. */
const tile = { side: 512, longEdge: 2048, shortEdge: 768 } as const;
const usualTiles = { base: 85, each: 170 } as const;
/** Cheap tokens, and so more of them. */
const gpt4oMiniTiles = { base: 2833, each: 5667 } as const;
const mostTiles = 8;

/** OpenAI's newer models: squares of 32 pixels, and how much one counts; small models count more of fewer. */
const openaiSquare = 32;
const smallModels = { most: 1536, tokens: 2.46 } as const;
const largeModels = { most: 12_500, tokens: 1.2 } as const;

/** Gemini's newer models see small images as closely as large ones. */
const leastGeminiTokens = 1120;

/** Since 2026-11-22. Most models see no more of an image; one that nobody has looked at is taken for a usual one. */
const typicalImage = { most: 1568, unseen: 1000 } as const;

/** Where the size stands in a file, pictures in a camera's notes included. */
export const headerCharacters = 256 * 1024;

export function imageTokens({ source, detail }: ImageBlock, rule: ImageRule): number {
  // A file that is elsewhere is not fetched.
  if (source.kind !== 'base64') return unseenTokens(rule);
  const header = Buffer.from(source.data.slice(0, headerCharacters), 'base64');
  const size = readImageSize(header);
  if (size === null) return unseenTokens(rule);
  switch (rule) {
    case 'anthropic':
      return anthropicTokens(size);
    case 'openai':
      return Math.max(tileTokens(size, usualTiles), detail === 'low' ? 0 : patchTokens(size, largeModels));
    case 'openai-small':
      return patchTokens(size, smallModels);
    case 'gpt-4o-mini':
      return tileTokens(size, gpt4oMiniTiles);
    case 'typical':
      return Math.min(anthropicTokens(size), typicalImage.most);
    case 'any':
      return Math.max(anthropicTokens(size), tileTokens(size, usualTiles), leastGeminiTokens);
  }
}

/** Of one image of any size, for those who may not look at it: the highest that a vendor of the rule takes. */
export const mostTokensOfImage: Readonly<Record<ImageRule, number>> = {
  anthropic: mostImageTokens,
  openai: largeModels.most * largeModels.tokens,
  'openai-small': Math.ceil(smallModels.most * smallModels.tokens),
  'gpt-4o-mini': gpt4oMiniTiles.base + mostTiles * gpt4oMiniTiles.each,
  // Qwen's models see most: https://help.aliyun.com/zh/model-studio/vision, as of November 2026.
  any: 16_384,
  typical: typicalImage.most,
};

function unseenTokens(rule: ImageRule): number {
  if (rule === 'typical') return typicalImage.unseen;
  return rule === 'gpt-4o-mini' ? gpt4oMiniTiles.base + mostTiles * gpt4oMiniTiles.each : mostImageTokens;
}

const anthropicTokens = (size: ImageSize): number =>
  Math.min(squares(size, anthropicSquare), mostImageTokens);

function tileTokens({ width, height }: ImageSize, { base, each }: { base: number; each: number }): number {
  const fit = Math.min(1, tile.longEdge / Math.max(width, height));
  const scale = Math.min(fit, tile.shortEdge / Math.min(width, height));
  return base + each * squares({ width: width * scale, height: height * scale }, tile.side);
}

function patchTokens(size: ImageSize, { most, tokens }: { most: number; tokens: number }): number {
  return Math.ceil(Math.min(squares(size, openaiSquare), most) * tokens);
}

const squares = ({ width, height }: ImageSize, side: number): number =>
  Math.ceil(width / side) * Math.ceil(height / side);

/** Gemini's; OpenAI's models take ten, for which no source was found. */
const tokensPerSecond = 32;

/** Speech as it is usually packed, for a file that does not tell its length; and packed as tightly as it can be. */
const usualBytesPerSecond = 4000;
const leastBytesPerSecond = 750;

/** @param data in base64. */
export function audioTokens(data: string): number {
  const file = Buffer.from(data, 'base64');
  const container = recognizeContainer(file);
  const told = container === null ? null : readDurationMs(file, container);
  // A file may overstate its length.
  const seconds =
    told === null
      ? file.length / usualBytesPerSecond
      : Math.min(told / 1000, file.length / leastBytesPerSecond);
  return Math.ceil(seconds * tokensPerSecond);
}

/** At the front of a file that was written for the web: the number of its pages. */
const linearized = /\/Linearized\b[^>]{0,200}?\/N\s+(\d{1,7})/;
const linearizedWithin = 2048;

const page = /\/Type\s*\/Page\b/g;

/** Pages that are packed away are not seen; few take less than this. */
const bytesPerPackedPage = 10_000;

/** More than any vendor reads of one request. */
const mostPages = 1000;

/** A page full of text, which is read as text and as an image: measured at up to 2480 on Claude and 560 on Gemini. */
export const tokensPerPage = 3000;

/** @param data in base64. */
export function pdfTokens(data: string): number {
  return countPdfPages(Buffer.from(data, 'base64')) * tokensPerPage;
}

/** As far as can be seen without unpacking the file. */
export function countPdfPages(file: Buffer): number {
  const text = file.toString('latin1');
  const told = Number(linearized.exec(text.slice(0, linearizedWithin))?.[1] ?? 0);
  const seen = text.match(page)?.length ?? 0;
  const known = Math.max(told, seen);
  return Math.min(mostPages, known > 0 ? known : Math.ceil(file.length / bytesPerPackedPage));
}

/** A file at a glance, by the length of its base64: its kind decides how much a byte of it costs. */
export function guessFileTokens(kind: 'pdf' | 'audio' | 'image', data: string, rule: ImageRule): number {
  const bytes = (data.length / 4) * 3;
  if (kind === 'image') return unseenTokens(rule);
  return kind === 'pdf'
    ? Math.min(mostPages, Math.ceil(bytes / bytesPerPackedPage)) * tokensPerPage
    : Math.ceil((bytes / usualBytesPerSecond) * tokensPerSecond);
}
