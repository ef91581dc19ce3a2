import { expect, test } from 'bun:test';
import { countPdfPages } from './pdf-pages.ts';

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
