import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../base/errors.ts';
import { type FormPart, FormReader } from './form-reader.ts';

const bounds = { fileField: 'file', maxFileBytes: 1000 };

function read(pieces: readonly (string | Uint8Array)[], boundary = 'B'): readonly FormPart[] {
  const reader = new FormReader(boundary, bounds);
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return reader.end();
}

function refusalOf(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const part = (header: string, content: string) => `--B\r\n${header}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, content);
const texts = (parts: readonly FormPart[]) =>
  parts.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]);

describe('FormReader', () => {
  test('gives bytes that JSON leaves to a replacer: those of a Buffer it would list one by one', () => {
    const seen: unknown[] = [];
    const form = `${part('Content-Disposition: form-data; name="file"; filename="a"', 'abc')}--B--\r\n`;
    JSON.stringify(read([form]), (_name, value: unknown) => {
      if (value instanceof Uint8Array) seen.push(Buffer.from(value).toString());
      return value instanceof Uint8Array ? null : value;
    });
    expect(seen).toEqual(['abc']);
  });

  test('reads fields in order, empty ones and those of several lines too', () => {
    const form = `${field('a', 'one')}${field('b', '')}${field('c', 'x\r\n--Bad\r\n')}--B--\r\n`;
    expect(texts(read([form.replace('--Bad', '-Bad')]))).toEqual([
      ['a', 'one'],
      ['b', ''],
      ['c', 'x\r\n-Bad\r\n'],
    ]);
  });

  test('what stands before the first and behind the last boundary is nothing', () => {
    expect(texts(read([`hello\r\n${field('a', 'one')}--B--\r\ngoodbye --B`]))).toEqual([['a', 'one']]);
  });

  test('blanks may follow a boundary in its line', () => {
    expect(texts(read(['--B \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B-- \r\n']))).toEqual([
      ['a', '1'],
    ]);
  });

  test('a header may be written in many ways', () => {
    const spellings = [
      'content-disposition:form-data;name=file;filename=x.wav',
      'Content-Type: audio/wav\r\nCONTENT-DISPOSITION: Form-Data; filename="a; name=\\"b\\".wav" ; name = "file"',
      'Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'x.wav\r\nContent-Transfer-Encoding: binary',
    ];
    for (const spelling of spellings) {
      expect(read([`${part(spelling, 'x')}--B--`])).toMatchObject([{ name: 'file', hasFileName: true }]);
    }
  });

  test('any bytes, cut into any pieces, are read back', () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc
        .array(fc.constantFrom('\r\n--', '--B', '\r', '\n', '\r\n-', 'B', '--', 'x'), { maxLength: 20 })
        .map((tokens) => Buffer.from(tokens.join('')))
        .filter((bytes) => !`\r\n${bytes.toString()}\r\n`.includes('\r\n--B')),
    );
    fc.assert(
      fc.property(
        fc.array(content, { maxLength: 5 }),
        fc.array(fc.nat(2000), { maxLength: 12 }),
        (contents, cuts) => {
          const form = Buffer.concat([
            ...contents.flatMap((bytes, index) => [
              Buffer.from(`--B\r\nContent-Disposition: form-data; name="n${index}"\r\n\r\n`),
              bytes,
              Buffer.from('\r\n'),
            ]),
            Buffer.from('--B--\r\n'),
          ]);
          fc.pre(!contents.some((bytes) => bytes.includes('\r\n--B') || bytes.indexOf('--B') === 0));
          const places = [0, ...cuts.map((cut) => cut % form.length).sort((a, b) => a - b), form.length];
          const pieces = places.slice(1).map((end, index) => form.subarray(places[index], end));
          expect(read(pieces).map(({ bytes }) => Buffer.from(bytes))).toEqual(contents);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a file of the most bytes is read, and one more is refused before its end has come', () => {
    const header = 'Content-Disposition: form-data; name="file"; filename="x"';
    const [file] = read([`${part(header, 'x'.repeat(1000))}--B--`]);
    expect(file?.bytes.byteLength).toBe(1000);
    const reader = new FormReader('B', bounds);
    reader.push(Buffer.from(`--B\r\n${header}\r\n\r\n${'x'.repeat(1000)}`));
    const refusal = refusalOf(() => reader.push(Buffer.from('x'.repeat(10))));
    expect(refusal).toMatchObject({ code: 'body_too_large', param: 'file' });
    expect(refusal.message).toContain('1000 bytes');
    expect(refusalOf(() => read([`${part(header, 'x'.repeat(1001))}--B--`])).code).toBe('body_too_large');
  });

  test('fields may not be large together, and files not in parts', () => {
    const many = field('prompt', 'x'.repeat(100_000));
    expect(refusalOf(() => read([`${many}${many}${many}--B--`])).code).toBe('body_too_large');
    const half = field('file', 'x'.repeat(600));
    expect(refusalOf(() => read([`${half}${half}--B--`])).code).toBe('body_too_large');
  });

  test('fields have a bound of their own, however much room the file leaves', () => {
    const reader = new FormReader('B', { ...bounds, maxFileBytes: 1_000_000 });
    reader.push(Buffer.from(field('prompt', 'x'.repeat(200_000))));
    reader.push(Buffer.from(field('file', 'x'.repeat(300_000))));
    const refusal = refusalOf(() => reader.push(Buffer.from(field('prompt', 'x'.repeat(70_000)))));
    expect(refusal.code).toBe('body_too_large');
    expect(refusal.message).toContain('beside the file');
  });

  test.each([
    ['nothing', ''],
    ['no boundary at all', 'just text'],
    ['no last boundary', field('a', 'one')],
    ['an end within a header', '--B\r\nContent-Dispo'],
    ['no name', `${part('Content-Disposition: form-data', 'x')}--B--`],
    ['an empty name', `${field('', 'x')}--B--`],
    ['another disposition', `${part('Content-Disposition: attachment; name="a"', 'x')}--B--`],
    ['no header', '--B\r\n\r\nx\r\n--B--'],
    ['text behind a boundary', `--Bxyz\r\n\r\nx\r\n--B--`],
    ['a header without an end', `--B\r\n${'x'.repeat(10_000)}`],
    [
      'encoded content',
      `${part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', 'eA==')}--B--`,
    ],
    ['too many parts', `${field('a', '1').repeat(101)}--B--`],
  ])('%s is no form', (_, form) => {
    const refusal = refusalOf(() => read([form]));
    expect(refusal.code).toBe('malformed_request');
    expect(refusal.message).toStartWith('The multipart form cannot be read: ');
  });
});
