/** What every endpoint that costs money does, whatever it speaks: refusals, limits, headers, failover, clients that leave. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { newToken, type TestSluice } from '../support/sluice.ts';
import type { FaultName, Upstream } from '../support/upstream/index.ts';
import type { CaseTokens, EndpointCase } from './endpoint-setup.ts';

/** OpenAI's errors have our codes; the others have only their own words for a status. */
const saysCode = {
  openai: (json: ErrorBody, code: string) => json.error.code === code,
  anthropic: (json: ErrorBody) => json.type === 'error' && typeof json.error.type === 'string',
  google: (json: ErrorBody, _code: string, status: number) => json.error.code === status,
} as const;

interface ErrorBody {
  readonly type?: string;
  readonly detail: string;
  readonly error: {
    readonly message: string;
    readonly code?: unknown;
    readonly type?: unknown;
  };
}

interface Running {
  readonly sluice: TestSluice;
  readonly backup: Upstream;
}

export function describeEndpoint(
  endpoint: EndpointCase,
  { at, tokens, running }: { at: number; tokens: CaseTokens; running: () => Running },
): void {
  type Init = { token?: string; headers?: Record<string, string>; body?: BodyInit; signal?: AbortSignal };

  function ask(model: string, { token, headers, body, signal }: Init = {}): Promise<Response> {
    const { sluice } = running();
    const request = endpoint.request(`${model}-${at}`);
    return fetch(`${sluice.url}${request.path ?? endpoint.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token ?? sluice.token}`,
        ...(endpoint.isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body ?? request.body,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async function expectError(response: Response, status: number, code: string): Promise<void> {
    const json: ErrorBody = await response.json();
    expect({ status: response.status, json }).toMatchObject({ status, json: { detail: json.error.message } });
    expect({ json, isTold: saysCode[endpoint.errors](json, code, status) }).toMatchObject({ isTold: true });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    // Its own address stands where people top up.
    const told = JSON.stringify(json).replaceAll(running().sluice.url, '');
    expect(told).not.toMatch(/upstream-secret|org-double|127\.0\.0\.1/);
  }

  async function recordOf({ headers }: Response) {
    const records = await running().sluice.usage();
    const record = records.find(({ requestId }) => requestId === headers.get('x-request-id'));
    if (record === undefined) throw new Error('the request was not recorded');
    return record;
  }

  beforeEach(() => {
    running().sluice.upstream.forget();
    running().backup.forget();
  });

  test('an answer tells its ids, its provider, its cost, the gateway’s own time and the limits', async () => {
    const response = await ask('sound', { token: tokens.limited });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    const { headers } = response;
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    expect(headers.get('x-sluice-provider')).toBe(`main-${at}`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Number(headers.get('x-sluice-overhead-ms'))).toBeGreaterThan(0);
    expect(headers.get('x-ratelimit-limit-requests')).toBe('1');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(headers.get('x-ratelimit-limit-tokens')).toBe('5000000');
    const record = await recordOf(response);
    expect(record).toMatchObject({ status: 200, outcome: 'complete', model: `sound-${at}` });
    expect(record.chargedNanoUsd).toBeGreaterThan(0n);
    expect(record.chargedNanoUsd).toBe(record.costNanoUsd);
  });

  test('429 beyond the limit, with the wait and the limits', async () => {
    const response = await ask('sound', { token: tokens.limited });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    await expectError(response, 429, 'rate_limited');
    expect(running().sluice.upstream.counts.requests).toBe(0);
  });

  describe('refusals that no upstream hears of', () => {
    const refusals: readonly (readonly [number, string, string, keyof CaseTokens | null])[] = [
      [401, 'token_expired', 'sound', 'expired'],
      [402, 'insufficient_funds', 'sound', 'poor'],
      [403, 'scope_missing', 'sound', 'reader'],
      [403, 'model_not_allowed', 'sound', 'modelLock'],
      [403, 'provider_not_allowed', 'sound', 'providerLock'],
      [403, 'region_not_allowed', 'sound', 'regionLock'],
      [403, 'model_unpriced', 'unpriced', null],
      [404, 'model_not_found', 'nobody', null],
      [404, 'model_not_found', 'other', null],
    ];

    test.each(refusals)('%d %s', async (status, code, model, key) => {
      const response = await ask(model, key === null ? {} : { token: tokens[key] });
      expect(response.headers.get('x-should-retry')).toBe('false');
      await expectError(response, status, code);
      expect(running().sluice.upstream.counts.requests).toBe(0);
    });

    test('401 without a token, and with one that nobody has', async () => {
      const missing = await ask('sound', { headers: { authorization: '' } });
      expect(missing.headers.get('www-authenticate')).toBe('Bearer');
      expect(missing.headers.get('x-should-retry')).toBe('false');
      await expectError(missing, 401, 'missing_token');
      for (const token of [newToken(), 'nonsense']) {
        const response = await ask('sound', { token });
        expect(response.headers.get('x-should-retry')).toBe('false');
        await expectError(response, 401, 'invalid_token');
      }
      expect(running().sluice.upstream.counts.requests).toBe(0);
    });

    test('405 names the method that is allowed', async () => {
      const { sluice } = running();
      const path = endpoint.request(`sound-${at}`).path ?? endpoint.path;
      for (const headers of [{}, { authorization: `Bearer ${sluice.token}` }]) {
        const response = await fetch(`${sluice.url}${path}`, { headers });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('POST');
      }
    });

    test('400 for a compressed body', async () => {
      const headers = { 'content-encoding': 'gzip' };
      await expectError(await ask('sound', { headers }), 400, 'unsupported_content_type');
    });

    if (!endpoint.isForm) {
      test.each(['', '{', '[1]', 'null'])('400 for a body of %p', async (body) => {
        await expectError(await ask('sound', { body }), 400, 'malformed_json');
      });

      test('400 for a body of very many levels, which says how many are taken', async () => {
        const { sluice } = running();
        const { body } = endpoint.request(`sound-${at}`);
        const deep = '['.repeat(40_000) + ']'.repeat(40_000);
        const response = await ask('sound', { body: `${String(body).slice(0, -1)},"deep":${deep}}` });
        expect((await response.clone().json()).detail).toContain('more than 200 levels');
        await expectError(response, 400, 'malformed_json');
        expect(sluice.upstream.counts.requests).toBe(0);
        expect(sluice.running.services.metrics.requestsUnderWay).toBe(0);
      });

      test('400 for another content type, and says which is right', async () => {
        const response = await ask('sound', { headers: { 'content-type': 'text/plain' } });
        const { detail } = await response.clone().json();
        expect(detail).toContain('application/json');
        await expectError(response, 400, 'unsupported_content_type');
      });

      test('413 for a body beyond the bound', async () => {
        const body = JSON.stringify({ model: `sound-${at}`, padding: 'x'.repeat(400_000) });
        await expectError(await ask('sound', { body }), 413, 'body_too_large');
      });

      test.each(['Model', 'MODEL', 'Stream', 'max_tokenſ'])(
        '400 for %s, which some hosts would take for another',
        async (name) => {
          const body = await new Response(endpoint.request(`sound-${at}`).body).text();
          const response = await ask('sound', {
            body: body.replace('{', `{${JSON.stringify(name)}:"other",`),
          });
          const { detail } = await response.clone().json();
          expect(detail).toContain(`${name}: differs from`);
          await expectError(response, 400, 'invalid_parameter');
          expect(running().sluice.upstream.counts.requests).toBe(0);
        },
      );

      test('400 for a member that is there twice', async () => {
        const body = await new Response(endpoint.request(`sound-${at}`).body).text();
        for (const twice of ['"model":"a","mod\\u0065l":"b",', '"extra":1,"extra":2,']) {
          const response = await ask('sound', { body: body.replace('{', `{${twice}`) });
          const { detail } = await response.clone().json();
          expect(detail).toContain('is there twice');
          await expectError(response, 400, 'invalid_parameter');
        }
        expect(running().sluice.upstream.counts.requests).toBe(0);
      });

      if (endpoint.passesMembers) {
        test.each(['Models', 'Fallbacks', 'api_base', 'mock_response'])(
          '400 for %s, which would choose what answers',
          async (name) => {
            const body = await new Response(endpoint.request(`sound-${at}`).body).text();
            const response = await ask('sound', {
              body: body.replace('{', `{${JSON.stringify(name)}:["other"],`),
            });
            const { detail } = await response.clone().json();
            expect(detail).toStartWith(`${name} is not passed on`);
            await expectError(response, 400, 'invalid_parameter');
            expect(running().sluice.upstream.counts.requests).toBe(0);
          },
        );
      }

      test('422 for a body without what must be there', async () => {
        await expectError(await ask('sound', { body: '{}' }), 422, 'validation_failed');
      });
    }
  });

  test('a free model answers although the wallet is empty', async () => {
    const response = await ask('free', { token: tokens.poor });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    expect(await recordOf(response)).toMatchObject({ chargedNanoUsd: 0n });
  });

  describe('an upstream that fails', () => {
    const faults: readonly (readonly [FaultName, number, string])[] = [
      ['reset_before_headers', 502, 'upstream_unreachable'],
      ['rate_limited', 503, 'upstream_rate_limited'],
      ['status_401', 502, 'upstream_rejected_credentials'],
      ['status_500', 502, 'upstream_failed'],
      ['status_503', 503, 'upstream_overloaded'],
      ['wrong_model', 502, 'upstream_model_unavailable'],
    ];

    test.each(faults)('by %s is told as %d %s, free of charge', async (fault, status, code) => {
      running().sluice.upstream.byDefault({ fault });
      const response = await ask('sound');
      const headers = new Headers(response.headers);
      await expectError(response, status, code);
      expect(await recordOf(new Response('', { headers }))).toMatchObject({
        status,
        errorCode: code,
        outcome: 'upstream_failed',
        chargedNanoUsd: 0n,
      });
    });

    test.each(faults)('by %s is followed by the next provider', async (fault) => {
      running().sluice.upstream.byDefault({ fault });
      const response = await ask('safe');
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      expect(response.headers.get('x-sluice-provider')).toBe(`backup-${at}`);
      expect(running().backup.counts.requests).toBe(1);
      const record = await recordOf(response);
      expect(record).toMatchObject({ provider: `backup-${at}`, outcome: 'complete' });
      expect(record.chargedNanoUsd).toBeGreaterThan(0n);
    });
  });

  test('a client that leaves before the answer ends the upstream call and pays for the input', async () => {
    const { sluice, backup } = running();
    const known = new Set((await sluice.usage()).map(({ requestId }) => requestId));
    sluice.upstream.enqueue({ shape: { headerDelayMs: 60_000 } });
    const leaving = new AbortController();
    ask('safe', { signal: leaving.signal }).catch(() => undefined);
    const received = await sluice.upstream.received(1);
    const before = await sluice.availableNanoUsd();
    leaving.abort();
    if (endpoint.streams !== true) await sluice.readsOnNoLonger();
    await received.ended;
    expect(received.clientClosed).toBe('before_first_byte');
    const record = await sluice.nextUsage((each) => !known.has(each.requestId));
    expect(record).toMatchObject({ outcome: 'client_closed', outputTokens: 0, attempts: 1 });
    expect(record.chargedNanoUsd).toBeGreaterThan(0n);
    expect(before - (await sluice.availableNanoUsd())).toBe(record.chargedNanoUsd);
    expect(backup.counts.requests).toBe(0);
  });
}
