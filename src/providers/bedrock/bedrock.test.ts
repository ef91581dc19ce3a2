import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConverseAnswer } from '../../protocols/converse/answer.ts';
import { readMessagesTurn } from '../../protocols/messages/read-request.ts';
import type { TurnRequest } from '../../protocols/turn/request.ts';
import type { ProviderTarget, UpstreamTask } from '../provider.ts';
import { bedrock } from './bedrock.ts';
import { findFault, type SigningKey } from './testing/verify-signature.ts';

const fixture = (name: string): string => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8');
const chat = (() => {
  const [support] = bedrock.supports({}).chat ?? [];
  if (support === undefined) throw new Error('it cannot chat');
  return support;
})();

const row: ProviderTarget = {
  name: 'main',
  baseUrl: null,
  region: 'eu-central-1',
  secret: 'ABSKkey=',
  settings: {},
};
const task: UpstreamTask = {
  target: row,
  model: 'amazon.nova-pro-v1:0',
  stream: false,
  body: '{}',
  forwarded: {},
};
const addressOf = async (changes: Partial<ProviderTarget>, more: Partial<UpstreamTask> = {}) =>
  chat.address({ ...task, ...more, target: { ...row, ...changes } });

describe('the address', () => {
  test('is that of the region, with the model as one step of the path', async () => {
    const base = 'https://bedrock-runtime.eu-central-1.amazonaws.com/model';
    expect((await addressOf({})).url).toBe(`${base}/amazon.nova-pro-v1%3A0/converse`);
    const model = 'arn:aws:bedrock:eu-central-1:111122223333:inference-profile/eu.x-v1:0';
    expect((await addressOf({}, { model, stream: true })).url).toBe(
      `${base}/arn%3Aaws%3Abedrock%3Aeu-central-1%3A111122223333%3Ainference-profile%2Feu.x-v1%3A0/converse-stream`,
    );
  });

  test.each([
    [{ region: 'cn-north-1' }, 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn/'],
    [{ region: 'us-gov-west-1' }, 'https://bedrock-runtime.us-gov-west-1.amazonaws.com/'],
    [{ region: 'eu', settings: { region: 'eu-west-3' } }, 'https://bedrock-runtime.eu-west-3.amazonaws.com/'],
    [{ baseUrl: 'https://inside.example/aws//', region: null }, 'https://inside.example/aws/model/'],
  ])('for %j begins with %s', async (changes, start) => {
    expect((await addressOf(changes)).url).toStartWith(start);
  });

  test.each([null, 'eu', ''])('is not guessed for the region %p', async (region) => {
    await expect(addressOf({ region })).rejects.toMatchObject({ code: 'no_provider', status: 503 });
  });

  test('a setting that is no region is refused when the row is written', () => {
    expect(() => bedrock.checkSettings?.({ region: 'Frankfurt' })).toThrow('region of AWS');
    expect(() => bedrock.checkSettings?.({ region: 'eu-central-1' })).not.toThrow();
    expect(() => bedrock.checkSettings?.({})).not.toThrow();
  });
});

describe('a row is refused when it is written', () => {
  const row = { baseUrl: null, region: null, secret: 'ABSKkey=', settings: {} };

  test('with a setting that nobody reads', () => {
    expect(() => bedrock.checkSettings?.({ bucket: ['shelf'] })).toThrow(
      'bucket: is not a setting of this kind',
    );
  });

  test.each([
    [{}, 'region: is missing'],
    [{ region: 'eu' }, 'region: expected a region of AWS'],
    [{ baseUrl: 'https://inside.example', secret: 'AKIAEXAMPLEEXAMPLE00:secret' }, 'region: is missing'],
  ])('without a region where one is needed: %j', (changes, sentence) => {
    expect(() => bedrock.checkPlace?.({ ...row, ...changes })).toThrow(sentence);
  });

  test.each([
    { region: 'eu-central-1' },
    { region: 'eu', settings: { region: 'eu-west-3' } },
    { baseUrl: 'https://inside.example' },
  ])('and not when it is known where it leads: %j', (changes) => {
    expect(() => bedrock.checkPlace?.({ ...row, ...changes })).not.toThrow();
  });

  test.each(['AKIAEXAMPLEEXAMPLE00', 'AKIAEXAMPLEEXAMPLE00:', 'short:secret', 'AKIAEXAMPLEEXAMPLE00:a:b:c'])(
    'with the credential %p',
    (secret) => {
      const refusal = () => bedrock.checkCredential?.(secret);
      expect(refusal).toThrow('expected a Bedrock API key, or ACCESS_KEY_ID:SECRET_ACCESS_KEY');
      expect(refusal).not.toThrow(secret);
    },
  );

  test.each(['ABSKkey=', 'AKIAEXAMPLEEXAMPLE00:a/b+c', 'ASIAEXAMPLEEXAMPLE00:a:session=='])(
    'and not with the credential %p',
    (secret) => {
      expect(() => bedrock.checkCredential?.(secret)).not.toThrow();
    },
  );
});

describe('files in buckets', () => {
  const image = { type: 'image', source: { kind: 'url', url: 's3://shelf/cat.png' } } as const;
  const turn: TurnRequest = {
    ...readMessagesTurn({ messages: [] }),
    messages: [{ role: 'user', content: [image] }],
  };
  const writeWith = (settings: object) =>
    bedrock.supports({ ...settings }).chat?.[0]?.protocol.writeRequest(turn, { id: 'amazon.nova-pro-v1:0' });

  test('are shown only from those that the operator has opened', () => {
    expect(writeWith({ buckets: ['shelf'] })).toContain('"s3Location":{"uri":"s3://shelf/cat.png"}');
    for (const settings of [{}, { buckets: ['other'] }]) {
      expect(() => writeWith(settings)).toThrow('images from this bucket');
    }
  });

  test.each(['shelf', [1], {}])('cannot be opened with the setting %j', (buckets) => {
    expect(() => bedrock.checkSettings?.({ buckets })).toThrow('names of S3 buckets');
  });
});

describe('the credential', () => {
  test('is a bearer token when it is an API key', async () => {
    const { headers } = await addressOf({});
    expect(headers).toMatchObject({ authorization: 'Bearer ABSKkey=', 'content-type': 'application/json' });
    expect(headers).not.toHaveProperty('x-amz-date');
  });

  test('is refused when it has colons and is no access key, and is not shown', async () => {
    const secret = 'akia-small:hidden';
    const error: unknown = await addressOf({ secret }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'no_provider' });
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('hidden');
  });

  test('signs nothing without a region', async () => {
    const secret = 'AKIAEXAMPLEKEY000001:wJalr/secret+key';
    await expect(
      addressOf({ secret, region: null, baseUrl: 'https://inside.example' }),
    ).rejects.toMatchObject({
      code: 'no_provider',
    });
  });
});

describe('over a socket', () => {
  const key: SigningKey = {
    accessKeyId: 'AKIAEXAMPLEKEY000001',
    secretAccessKey: 'wJalr/secret+key',
    region: 'eu-central-1',
    service: 'bedrock',
  };
  const secret = `${key.accessKeyId}:${key.secretAccessKey}`;
  const faults: (string | null)[] = [];
  const tokens: (string | null)[] = [];
  let status = 200;
  let server: Bun.Server<undefined> | undefined;
  afterEach(() => server?.stop(true));

  async function ask(changes: Partial<ProviderTarget>, more: Partial<UpstreamTask> = {}): Promise<Response> {
    faults.length = 0;
    tokens.length = 0;
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(http) {
        const path = http.url.slice(http.url.indexOf('/', 'http://'.length));
        const { method, headers } = http;
        faults.push(findFault({ method, path, headers, body: await http.text() }, key));
        tokens.push(headers.get('x-amz-security-token'));
        return new Response(fixture(status === 200 ? 'whole.json' : 'denied.json'), {
          status,
          headers: { 'content-type': 'application/json', 'x-amzn-requestid': '4f1c-77' },
        });
      },
    });
    const target = { ...row, secret, baseUrl: server.url.href, ...changes };
    const asked = {
      ...task,
      body: '{"messages":[{"role":"user","content":[{"text":"Grüß dich 🦥"}]}]}',
      ...more,
    };
    const { url, headers } = await chat.address({ ...asked, target });
    return fetch(url, { method: 'POST', headers, body: asked.body });
  }

  test.each([
    'amazon.nova-pro-v1:0',
    'arn:aws:bedrock:eu-central-1:111122223333:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'a model (b) with ~ % and +',
  ])('a signature holds for the model %s', async (model) => {
    expect((await ask({}, { model })).status).toBe(200);
    expect(faults).toEqual([null]);
  });

  test('a signature holds with the token of a key that is lent', async () => {
    await ask({ secret: `${secret}:FwoGZXIvYXdzE+token/==` });
    expect(faults).toEqual([null]);
    expect(tokens).toEqual(['FwoGZXIvYXdzE+token/==']);
  });

  test.each([
    ['another secret', { secret: `${key.accessKeyId}:other` }],
    ['another region', { region: 'us-east-1' }],
    ['an API key', { secret: 'ABSKkey=' }],
  ])('the check itself sees %s', async (_, changes) => {
    await ask(changes);
    expect(faults).not.toEqual([null]);
  });

  const receiveFrom = (response: Response) => chat.receive?.(response, response.url);

  test('a whole answer gets the id of its request and its model, without the account', async () => {
    const model = 'arn:aws:bedrock:eu-central-1:111122223333:inference-profile/eu.nova:0';
    const received = receiveFrom(await ask({}, { model }));
    const text = (await received?.text()) ?? '';
    expect(text).not.toContain('111122223333');
    const answer = readConverseAnswer(JSON.parse(text));
    expect(answer).toMatchObject({ id: '4f1c-77', model: 'eu.nova:0' });
    expect(answer.choices[0]?.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(answer.usage).toEqual({
      inputTokens: 14,
      cacheReadTokens: 900,
      cacheWrite5mTokens: 120,
      cacheWrite1hTokens: 30,
      outputTokens: 26,
      reasoningTokens: 0,
      estimated: false,
    });
  });

  test('a refusal passes as it is, and is read', async () => {
    status = 403;
    const refused = await ask({});
    status = 200;
    const received = receiveFrom(refused);
    expect(received?.status).toBe(403);
    expect(chat.protocol.readComplaint((await received?.text()) ?? '')).toMatchObject({
      message: "You don't have access to the model with the specified model ID.",
      status: null,
    });
  });
});
