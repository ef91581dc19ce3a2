/** What holds alike for the endpoints of embeddings, reranking, speech and transcription: their headers and refusals. */
import { describe, expect, test } from 'bun:test';
import { newToken, type TestSluice } from './sluice.ts';

export interface UnitEndpoint {
  readonly path: string;
  /** The one that the file of tests has started. */
  readonly sluice: () => TestSluice;
  /** Asks rightly, for the model, with the token; an empty one is no token at all. */
  readonly ask: (model: string, token: string) => Promise<Response>;
  readonly tokens: {
    /** Of an account without money. */
    readonly poor: string;
    /** May not use the usual model. */
    readonly locked: string;
    /** One request and 5,000 tokens a minute. */
    readonly limited: string;
  };
  readonly model: string;
  /** The provider of the model. */
  readonly provider: string;
  /** What the answer to such a request costs. */
  readonly costUsd: (answer: Response) => number | Promise<number>;
  /** A model without a price, which is not served to those who pay. */
  readonly unpriced: string;
  /** A model that costs nothing. */
  readonly free: string;
  /** Whether requests are JSON. */
  readonly takesJson: boolean;
}

export function unitEndpointCases(endpoint: UnitEndpoint): void {
  const { path, sluice, ask, tokens, model, unpriced, free } = endpoint;

  describe('headers', () => {
    test('of an answer: ids, provider, cost, the gateway’s own time, limits', async () => {
      const response = await ask(model, tokens.limited);
      expect(response.status).toBe(200);
      const { headers } = response;
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
      expect(headers.get('x-sluice-provider')).toBe(endpoint.provider);
      expect(Number(headers.get('x-sluice-cost-usd'))).toBe(await endpoint.costUsd(response));
      expect(Number(headers.get('x-sluice-overhead-ms'))).toBeGreaterThan(0);
      expect(headers.get('x-ratelimit-limit-requests')).toBe('1');
      expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(headers.get('x-ratelimit-limit-tokens')).toBe('5000');
      expect(headers.get('openai-organization')).toBeNull();
    });

    test('of 429: the wait and the limits', async () => {
      const { status, headers } = await ask(model, tokens.limited);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(headers.get('x-request-id')).toBe(headers.get('request-id'));
    });
  });

  describe('refusals that all endpoints have', () => {
    test.each([
      [401, 'missing_token', model, ''],
      [401, 'invalid_token', model, newToken()],
      [402, 'insufficient_funds', model, tokens.poor],
      [403, 'model_not_allowed', model, tokens.locked],
      [403, 'model_unpriced', unpriced, null],
      [404, 'model_not_found', 'nobody', null],
      [404, 'model_not_found', 'auto', null],
      [404, 'model_not_found', 'double-1', null],
    ])('%d %s for the model %s', async (status, code, id, token) => {
      const response = await ask(id, token ?? sluice().token);
      expect(response.status).toBe(status);
      const { error, detail } = await response.json();
      expect(error.code).toBe(code);
      expect(detail).toBe(error.message);
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(sluice().upstream.counts.requests).toBe(0);
    });

    test('none for a free model, though the wallet is empty', async () => {
      const response = await ask(free, tokens.poor);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    });

    if (endpoint.takesJson) {
      test.each(['', '{', '[1]', 'null'])('400 for a body of %p', async (body) => {
        const response = await sluice().post(path, body);
        expect(response.status).toBe(400);
        expect((await response.json()).error.code).toBe('malformed_json');
      });
    }

    test('405 names the method that is allowed', async () => {
      const response = await fetch(`${sluice().url}${path}`);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
    });
  });
}
