import { describe, expect, test } from 'bun:test';
import { ComplaintError } from '../../protocols/translator.ts';
import { fixturesIn } from '../testing/vendor-double.ts';
import { anthropic } from './anthropic.ts';

const fixture = fixturesIn(import.meta.dir);
const target = { name: 'main', baseUrl: 'https://api.example/v1', region: null, secret: 'k', settings: {} };
const [support] = anthropic.supports({}).chat ?? [];
if (support === undefined) throw new Error('anthropic converses');
const { protocol } = support;
const request = { text: '', json: {}, model: 'm', stream: false, wantsStreamUsage: false };

const address = (changes: { baseUrl?: string } = {}, forwarded: Record<string, string> = {}) =>
  support.address({
    target: { ...target, ...changes },
    model: 'm',
    stream: false,
    body: '',
    forwarded,
  });

describe('anthropic', () => {
  test.each(['https://api.example/v1', 'https://api.example/v1/', 'https://api.example/v1//'])(
    'addresses messages under the base URL %p',
    async (baseUrl) => {
      expect((await address({ baseUrl })).url).toBe('https://api.example/v1/messages');
    },
  );

  test('sends the credential in x-api-key alone, with JSON and a version of its own', async () => {
    const { headers } = await address();
    expect(headers).toMatchObject({
      'x-api-key': 'k',
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('anthropic-beta');
  });

  test('a forwarded version takes the place of its own, and betas go along', async () => {
    const forwarded = { 'anthropic-version': '2024-05-06', 'anthropic-beta': 'tides-2026-01-01' };
    expect((await address({}, forwarded)).headers).toMatchObject({ ...forwarded, 'x-api-key': 'k' });
  });

  test('no forwarded header takes the place of the credential', async () => {
    expect((await address({}, { 'x-api-key': 'of the client' })).headers['x-api-key']).toBe('k');
  });

  test('a row of this kind needs a credential and no address', () => {
    expect(anthropic).toMatchObject({
      kind: 'anthropic',
      defaultBaseUrl: 'https://api.anthropic.com/v1',
      needsCredential: true,
    });
  });

  test('a whole answer passes byte for byte, with disjoint counts', () => {
    const body = fixture('whole.json');
    const answer = protocol.passthrough?.readAnswer(body, request);
    expect(answer?.body).toBe(body);
    expect(answer?.usage).toEqual({
      inputTokens: 14,
      cacheReadTokens: 900,
      cacheWrite5mTokens: 120,
      cacheWrite1hTokens: 30,
      outputTokens: 26,
      reasoningTokens: 11,
      estimated: false,
    });
  });

  test('a refusal is read, with the status that its type stands for', () => {
    expect(protocol.passthrough?.readComplaint(fixture('overloaded.json'))).toEqual({
      message: 'Too many boats in the lock.',
      code: null,
      type: 'overloaded_error',
      param: null,
      status: 529,
    });
    expect(() => protocol.passthrough?.readAnswer(fixture('overloaded.json'), request)).toThrow(
      ComplaintError,
    );
  });
});
