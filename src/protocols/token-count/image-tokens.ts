/** What an image costs by the vendors' rules, which all go by its size in pixels. */
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

/** Where the size stands in a file, pictures in a camera's notes included. */
const headerCharacters = 256 * 1024;

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
    case 'any':
      return Math.max(anthropicTokens(size), tileTokens(size, usualTiles), leastGeminiTokens);
  }
}

const unseenTokens = (rule: ImageRule): number =>
  rule === 'gpt-4o-mini' ? gpt4oMiniTiles.base + mostTiles * gpt4oMiniTiles.each : mostImageTokens;

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
