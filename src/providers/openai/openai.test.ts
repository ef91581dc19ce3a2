import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openai } from './openai.ts';

const fixture = (name: string): string => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8');
const target = { name: 'main', baseUrl: 'https://api.example/v1', secret: 'k', settings: {} };

describe('openai', () => {
  test.each(['https://api.example/v1', 'https://api.example/v1/', 'https://api.example/v1//'])(
    'addresses chat completions under the base URL %p',
    (baseUrl) => {
      const { url, body } = openai.chat.address({ ...target, baseUrl }, '{"a":1}');
      expect(url).toBe('https://api.example/v1/chat/completions');
      expect(body).toBe('{"a":1}');
    },
  );

  test('sends the credential as a bearer token, and none when there is none', () => {
    expect(openai.chat.address(target, '').headers['authorization']).toBe('Bearer k');
    expect(openai.chat.address({ ...target, secret: null }, '').headers).not.toHaveProperty('authorization');
  });

  test('a whole answer passes byte for byte, with its counts', () => {
    const body = fixture('whole.json');
    const answer = openai.chat.protocol.passthrough.readAnswer(body);
    expect(answer.body).toBe(body);
    expect(answer.usage).toMatchObject({ inputTokens: 21, cacheReadTokens: 0, outputTokens: 8 });
  });

  test('a refusal is read', () => {
    expect(openai.chat.protocol.passthrough.readComplaint(fixture('invalid-key.json'))).toMatchObject({
      code: 'invalid_api_key',
      type: 'invalid_request_error',
    });
  });
});
