import { describe, expect, test } from 'bun:test';
import type { ImageBlock, MediaSource } from '../turn/blocks.ts';
import { imageTokens } from './image-tokens.ts';
import { jpeg, png } from './testing/image-files.ts';

function image(file: Buffer, detail?: string): ImageBlock {
  const source = { kind: 'base64', mediaType: 'image/png', data: file.toString('base64') } as const;
  return { type: 'image', source, detail };
}

describe('the tokens of an image', () => {
  test.each([
    [512, 512, 361],
    [1024, 1024, 1369],
    [1920, 1080, 2691],
    [4032, 3024, 4784],
    [1, 1, 1],
  ])('of %d by %d pixels at Anthropic', (width, height, tokens) => {
    expect(imageTokens(image(png(width, height)), 'anthropic')).toBe(tokens);
  });

  test.each([
    [256, 256, 255],
    [1024, 1024, 1229],
    [1920, 1080, 2448],
    [4032, 3024, 14_364],
    [8000, 8000, 15_000],
  ])('of %d by %d pixels at OpenAI', (width, height, tokens) => {
    expect(imageTokens(image(png(width, height)), 'openai')).toBe(tokens);
  });

  test.each([
    [1024, 1024, 765],
    [2048, 4096, 1105],
    [512, 512, 255],
  ])('of %d by %d pixels at OpenAI, looked at from afar, are those of its tiles', (width, height, tokens) => {
    expect(imageTokens(image(png(width, height), 'low'), 'openai')).toBe(tokens);
  });

  test("of OpenAI's small models are more, and bounded", () => {
    expect(imageTokens(image(png(512, 512)), 'openai-small')).toBe(630);
    expect(imageTokens(image(png(9000, 9000)), 'openai-small')).toBe(3779);
    expect(imageTokens(image(png(1024, 1024)), 'gpt-4o-mini')).toBe(25_501);
  });

  test('for any vendor are the highest of all that make large images smaller', () => {
    expect(imageTokens(image(png(64, 64)), 'any')).toBe(1120);
    expect(imageTokens(image(png(1024, 1024)), 'any')).toBe(1369);
    expect(imageTokens(image(png(9000, 9000)), 'any')).toBe(4784);
  });

  const elsewhere: readonly MediaSource[] = [
    { kind: 'url', url: 'https://example.test/a.png' },
    { kind: 'file', id: 'file_1', vendor: 'anthropic' },
    { kind: 'base64', mediaType: 'image/png', data: '' },
    { kind: 'base64', mediaType: 'image/png', data: 'no base64 at all' },
  ];
  test.each(elsewhere)('are the most there can be when nobody knows its size: %j', (source) => {
    expect(imageTokens({ type: 'image', source }, 'anthropic')).toBe(4784);
    const costliest = imageTokens(image(png(2048, 768)), 'gpt-4o-mini');
    expect(imageTokens({ type: 'image', source }, 'gpt-4o-mini')).toBe(costliest);
  });

  test('need no more than the front of the file', () => {
    const large = Buffer.concat([jpeg(1000, 1000, { marker: 0xc0 }), Buffer.alloc(1_000_000)]);
    expect(imageTokens(image(large), 'anthropic')).toBe(36 * 36);
  });
});
