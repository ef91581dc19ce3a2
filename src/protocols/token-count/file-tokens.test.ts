import { describe, expect, test } from 'bun:test';
import type { ImageBlock, MediaSource } from '../turn/blocks.ts';
import { countPdfPages, imageTokens } from './file-tokens.ts';
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

const pdf = (text: string, length = 0): Buffer =>
  Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(length)]);

test('the pages that can be seen are counted, their tree is not', () => {
  const objects = '<</Type/Pages/Count 2>> <</Type /Page /Parent 1 0 R>> <</Type/Page>>';
  expect(countPdfPages(pdf(`%PDF-1.4\n${objects}`))).toBe(2);
});

test('a file written for the web says how many it has', () => {
  const front = '%PDF-1.6\r1 0 obj\n<</Linearized 1/L 90210/O 12/E 4711/N 37/T 90000/H [ 480 180]>>\nendobj';
  expect(countPdfPages(pdf(front, 5000))).toBe(37);
});

test('pages that are packed away are taken from the size of the file', () => {
  expect(countPdfPages(pdf('%PDF-1.7\n', 39_000))).toBe(4);
  expect(countPdfPages(pdf('%PDF-1.7\n'))).toBe(1);
});

test('no file has more pages than vendors read', () => {
  expect(countPdfPages(pdf('%PDF-1.7\n<</Linearized 1/N 9999999>>'))).toBe(1000);
  expect(countPdfPages(pdf('/Type/Page '.repeat(3000)))).toBe(1000);
});
