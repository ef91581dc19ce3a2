import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clockShowing } from '../../base/testing/manual-clock.ts';
import { native } from './native.ts';

const nowMs = 1_800_000_000_000;
const clock = clockShowing(() => nowMs);
const means = { clock, fetch: (url: string, init: RequestInit) => fetch(url, init) };

const fixture = (name: string): object =>
  JSON.parse(readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8'));

const jwt = (claims: object): string =>
  ['{}', JSON.stringify(claims), 'sign'].map((part) => Buffer.from(part).toString('base64url')).join('.');

const secretOf = (fields: object): string => JSON.stringify({ access_token: 'a', ...fields });

describe('the credential of a native service', () => {
  const { oauth } = native;
  if (oauth === undefined) throw new Error('a native credential is renewed');

  test.each([
    [secretOf({ expires_at: 1_900_000_000 }), 1_900_000_000_000],
    [secretOf({ expires_at: '2031-01-01T00:00:00Z' }), Date.parse('2031-01-01T00:00:00Z')],
    [secretOf({ access_token: jwt({ exp: 1_950_000_000 }) }), 1_950_000_000_000],
    [secretOf({}), null],
    [secretOf({ access_token: 'not.a-jwt.x' }), null],
    ['a plain key', null],
  ])('%s expires when it says', (secret, expiresAtMs) => {
    expect(oauth.expiresAtMs(secret)).toBe(expiresAtMs);
  });

  describe('is renewed at the token address of the settings', () => {
    let answer: () => Response;
    const asked: URLSearchParams[] = [];
    let server: ReturnType<typeof Bun.serve>;
    let settings: Record<string, unknown>;

    beforeAll(() => {
      server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        async fetch(request) {
          asked.push(new URLSearchParams(await request.text()));
          return answer();
        },
      });
      settings = { token_url: `http://127.0.0.1:${server.port}/oauth/token`, client_id: 'sluice-tests' };
    });
    afterAll(() => server.stop(true));
    beforeEach(() => {
      asked.length = 0;
    });

    test('with its refresh token; account and what the service leaves out stay', async () => {
      answer = () => Response.json({ access_token: 'b', token_type: 'bearer', expires_in: 600 });
      const renewed = JSON.parse(
        await oauth.renew(secretOf({ refresh_token: 'r1', account_id: 'acc' }), settings, means),
      );
      expect(Object.fromEntries(asked[0] ?? [])).toEqual({
        grant_type: 'refresh_token',
        refresh_token: 'r1',
        client_id: 'sluice-tests',
      });
      expect(renewed).toMatchObject({ access_token: 'b', refresh_token: 'r1', account_id: 'acc' });
      expect(oauth.expiresAtMs(JSON.stringify(renewed))).toBe(nowMs + 600_000);
    });

    test('a rotated refresh token takes the place of the old one', async () => {
      answer = () => Response.json(fixture('renewed.json'));
      const renewed = await oauth.renew(secretOf({ refresh_token: 'r1' }), settings, means);
      expect(JSON.parse(renewed)).toMatchObject({ access_token: 'new-access', refresh_token: 'new-refresh' });
    });

    test('what else the service sends does not cost the tokens', async () => {
      const odd = { access_token: 'b', id_token: jwt({ iss: 'https://elsewhere.example' }) };
      answer = () => Response.json(odd);
      expect(JSON.parse(await oauth.renew(secretOf({ refresh_token: 'r1' }), settings, means))).toMatchObject(
        {
          access_token: 'b',
        },
      );
    });

    test('a refusal and a credential that cannot be renewed are errors', async () => {
      answer = () => Response.json(fixture('refused.json'), { status: 400 });
      await expect(oauth.renew(secretOf({ refresh_token: 'r1' }), settings, means)).rejects.toThrow();
      await expect(oauth.renew(secretOf({}), settings, means)).rejects.toThrow('no refresh token');
      await expect(oauth.renew(secretOf({ refresh_token: 'r' }), {}, means)).rejects.toThrow('token_url');
    });
  });
});

describe('a native request', () => {
  const target = { name: 'n', baseUrl: 'https://service.example/backend/', region: null };

  test('carries the account and the token of its credential, and the headers of the settings', async () => {
    const support = native.supports({}).native;
    const addressed = await support?.address({
      target: {
        ...target,
        secret: secretOf({ account_id: 'acc-1' }),
        settings: { headers: { originator: 'sluice', 'openai-beta': 'responses=experimental' } },
      },
      model: 'm',
      stream: true,
      body: '{}',
      forwarded: { session_id: 's-1', authorization: 'Bearer of the client' },
    });
    expect(addressed).toMatchObject({
      url: 'https://service.example/backend/responses',
      headers: {
        authorization: 'Bearer a',
        'chatgpt-account-id': 'acc-1',
        originator: 'sluice',
        'openai-beta': 'responses=experimental',
        session_id: 's-1',
      },
    });
  });

  test.each([
    [{ token_url: 'ftp://x' }, /^token_url: \w/],
    [{ client_id: 'line\nbreak' }, /^client_id: expected printable/],
    [{ headers: { 'Bad Name': 'x' } }, /^headers: Bad Name: \w/],
    [{ unknown: 1 }, /^unknown: is not a setting of this kind, which has token_url, client_id/],
  ])('settings %j are refused by name', (settings, sentence) => {
    expect(() => native.checkSettings?.(settings)).toThrow(sentence);
  });

  test.each([
    ['sk-plain', /^expected JSON such as \{"access_token":"…","refresh_token":"…"\}$/],
    ['[]', /"\}$/],
    ['{"refresh_token":"r"}', /; access_token is missing/],
    ['{"access_token":"a","expires_at":"soon"}', /; expires_at is missing or of another form$/],
  ])('the credential %p is refused when it is written', (secret, sentence) => {
    expect(() => native.checkCredential?.(secret)).toThrow(sentence);
  });

  test('a credential with an access token is taken', () => {
    expect(() => native.checkCredential?.(secretOf({}))).not.toThrow();
  });
});
