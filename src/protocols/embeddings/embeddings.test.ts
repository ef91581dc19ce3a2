import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import OpenAI from 'openai';
import { UnreadableAnswerError } from '../translator.ts';
import { asBase64, asNumbers, dimensionsOf, readVector, type Vector, writeEmbeddings } from './embeddings.ts';
import { readEmbeddingsRequest } from './request.ts';

const request = (fields: object = {}) =>
  readEmbeddingsRequest(JSON.stringify({ model: 'm', input: ['a', 'b'], ...fields }));
const first = [0.5, -0.25, 0.125];
const second = [0.0625, 1, -1.5];

let server: Bun.Server<undefined> | undefined;
afterEach(() => void server?.stop(true));

/** The official client of a server that answers with these vectors. */
function clientOf(vectors: readonly Vector[]): OpenAI {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (http) =>
      new Response(writeEmbeddings(readEmbeddingsRequest(await http.text()), { vectors, inputTokens: 5 }), {
        headers: { 'content-type': 'application/json' },
      }),
  });
  return new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 });
}

describe('writeEmbeddings', () => {
  test('writes the list that clients of OpenAI read', () => {
    expect(
      JSON.parse(writeEmbeddings(request(), { vectors: [first, asBase64(second)], inputTokens: 5 })),
    ).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: first },
        { object: 'embedding', index: 1, embedding: second },
      ],
      model: 'm',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    });
  });

  test('writes base64 where it is asked for, from either form', () => {
    const text = writeEmbeddings(request({ encoding_format: 'base64' }), {
      vectors: [first, asBase64(second)],
      inputTokens: 5,
    });
    expect(JSON.parse(text)).toMatchObject({
      data: [{ embedding: asBase64(first) }, { embedding: asBase64(second) }],
    });
  });

  test.each([undefined, 'float', 'base64'] as const)(
    'the official client gets the same numbers with the format %p, whatever the upstream gave',
    async (format) => {
      const vectors = [first, asBase64(second)];
      const answer = await clientOf(vectors).embeddings.create({
        model: 'm',
        input: ['a', 'b'],
        ...(format === undefined ? {} : { encoding_format: format }),
      });
      const seen: unknown[] = answer.data.map(({ embedding }) => embedding);
      expect(seen).toEqual(format === 'base64' ? [asBase64(first), asBase64(second)] : [first, second]);
      expect(answer.data.map(({ index }) => index)).toEqual([0, 1]);
      expect(answer.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 });
    },
  );

  test('numbers of an upstream keep every digit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { minLength: 1 }), (vector) => {
        const text = writeEmbeddings(request(), { vectors: [vector], inputTokens: 1 });
        expect(JSON.parse(text).data[0].embedding).toEqual(vector.map((number) => number + 0));
      }),
    );
  });

  test('refuses vectors that have not the length that was asked for', () => {
    const answer = { vectors: [first, second], inputTokens: 5 };
    expect(() => writeEmbeddings(request({ dimensions: 3 }), answer)).not.toThrow();
    expect(() => writeEmbeddings(request({ dimensions: 2 }), answer)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param: 'dimensions' }),
    );
  });

  test('refuses vectors that differ in length', () => {
    const answer = { vectors: [first, asBase64([1, 2])], inputTokens: 5 };
    expect(() => writeEmbeddings(request(), answer)).toThrow('2 dimensions instead of 3');
  });
});

const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 });

describe('vectors', () => {
  test('base64 of 32-bit numbers is read back as the same numbers, with the same length', () => {
    fc.assert(
      fc.property(numbers, (vector) => {
        const text = asBase64(vector);
        expect(readVector(text)).toBe(text);
        expect(asNumbers(text)).toEqual(vector);
        expect(dimensionsOf(text)).toBe(vector.length);
        expect(asBase64(asNumbers(text))).toBe(text);
      }),
    );
  });

  test('the bytes are little-endian', () => {
    expect(Buffer.from(asBase64([1]), 'base64')).toEqual(Buffer.from([0, 0, 0x80, 0x3f]));
  });

  test('every list of numbers is taken as it is', () => {
    fc.assert(
      fc.property(numbers, (vector) => {
        expect(readVector(vector)).toBe(vector);
        expect(dimensionsOf(vector)).toBe(vector.length);
      }),
    );
  });

  test.each([
    [undefined],
    [null],
    [{}],
    [[]],
    [''],
    [[1, null]],
    [[1, '2']],
    [[[1]]],
    [[Number.POSITIVE_INFINITY]],
    [[1e39]],
    ['AAAA'],
    ['AACAPw'],
    ['AACAPw='],
    ['AAC-Pw=='],
    ['AACA=w=='],
  ])('%j is no vector', (value: unknown) => {
    expect(() => readVector(value)).toThrow(UnreadableAnswerError);
  });

  test('bytes that hold no number cannot be written as numbers', () => {
    const bytes = Buffer.from(Float32Array.of(1, Number.NaN).buffer).toString('base64');
    expect(() => asNumbers(readVector(bytes))).toThrow(UnreadableAnswerError);
  });
});
