/** What `doctor` says of a provider, asked over a socket. */
import { afterAll, describe, expect, test } from 'bun:test';
import type { ModelDeclaration, ProviderDeclaration } from '../../catalogue/index.ts';
import { providerAdapters } from '../../providers/index.ts';
import { examineProvider } from './examine-provider.ts';

type Answer = (http: Request) => Response | Promise<Response>;

const asked: string[] = [];
let answer: Answer = () => Response.json({});
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(http) {
    asked.push(`${http.method} ${new URL(http.url).pathname}`);
    return await answer(http);
  },
});
afterAll(() => server.stop(true));
const host = `http://127.0.0.1:${server.port}`;

const row = (change: Partial<ProviderDeclaration> = {}): ProviderDeclaration => ({
  name: 'main',
  kind: 'openai',
  baseUrl: host,
  region: null,
  timeoutsMs: {},
  credentials: [{ name: 'k1', secret: 'sk-very-secret' }],
  ...change,
});
const models = (type: ModelDeclaration['type'], upstreamId = 'tiny'): readonly ModelDeclaration[] => [
  {
    id: 'm',
    type,
    ownedBy: 'somebody',
    aliases: [],
    contextWindow: null,
    maxOutputTokens: null,
    capabilities: [],
    prices: null,
    deployments: [{ provider: 'main', upstreamId }],
    displayOrder: 1,
  },
];

async function examine(provider: ProviderDeclaration, answering: Answer, declared = models('chat')) {
  asked.length = 0;
  answer = answering;
  return examineProvider(provider, declared);
}

const refusal = (status: number, message: string) => () =>
  Response.json({ error: { message, type: 't', code: null, param: null } }, { status });

describe('doctor says of a provider', () => {
  test('what it was asked for, and that this is free', async () => {
    expect(await examine(row(), () => Response.json({ object: 'list', data: [] }))).toEqual([
      {
        what: 'provider main',
        state: 'ok',
        detail: `GET ${host}/v1/models answers: asked for the list of models, which is free`,
      },
    ]);
  });

  test.each([
    ['401', 401, 'problem', /401, the key is not accepted \(no such key \[removed\]\)/],
    ['403', 403, 'problem', /403, the key is not accepted/],
    ['402', 402, 'problem', /402, its account with the provider is out of money or quota \(/],
    ['429', 429, 'warning', /429, it answers but lets nobody in now/],
    ['500', 500, 'problem', /500, the provider fails/],
    ['400', 400, 'warning', /400, reached, but what was asked is refused/],
  ])('%s in plain words, never the key', async (_what, status, state, words) => {
    const [finding] = await examine(row(), refusal(status, 'no such key sk-very-secret'));
    expect(finding?.state).toBe(state as 'problem');
    expect(finding?.detail).toMatch(words);
    expect(finding?.detail).not.toContain('sk-very-secret');
  });

  test.each([
    ['a version that is missing', `${host}/api`, 'Should base_url end in /v1?'],
    ['a version twice', `${host}/v1/v1`, 'Is a version in base_url too many?'],
  ])('404 with a hint about %s', async (_what, baseUrl, hint) => {
    const [finding] = await examine(row({ baseUrl }), () => new Response('no', { status: 404 }));
    expect(finding?.state).toBe('problem');
    expect(finding?.detail).toContain('404, nothing is there');
    expect(finding?.detail).toContain(hint);
  });

  test('a page that is no interface, and an address that sends elsewhere', async () => {
    const [page] = await examine(row(), () => new Response('<html></html>'));
    expect(page?.detail).toContain('200, but no JSON');
    const [moved] = await examine(row(), () => Response.redirect('https://new.example/login', 302));
    expect(moved?.detail).toContain('302, it sends elsewhere (https://new.example)');
  });

  test('each key by its name', async () => {
    const credentials = [
      { name: 'good', secret: 'a' },
      { name: 'old', secret: 'b' },
    ];
    const findings = await examine(row({ credentials }), (http) =>
      http.headers.get('authorization') === 'Bearer a' ? Response.json({}) : refusal(401, 'revoked')(),
    );
    expect(findings.map(({ what, state }) => [what, state])).toEqual([
      ['provider main, key good', 'ok'],
      ['provider main, key old', 'problem'],
    ]);
  });

  test('the smallest answer of a model, where there is no list, and what that costs', async () => {
    const [finding] = await examine(row(), (http) =>
      http.method === 'GET' ? new Response('', { status: 404 }) : Response.json({ choices: [] }),
    );
    expect(asked).toEqual(['GET /v1/models', 'POST /v1/chat/completions']);
    expect(finding?.state).toBe('ok');
    expect(finding?.detail).toContain('the smallest answer of tiny, which costs a token or two');
  });

  test.each([
    ['anthropic', 'chat', 'GET /v1/models'],
    ['google', 'chat', 'GET /v1beta/models'],
    ['azure-openai', 'chat', 'GET /openai/v1/models'],
    ['perplexity', 'chat', 'POST /v1/responses'],
    ['cohere', 'rerank', 'GET /v1/models'],
    ['voyage', 'embedding', 'POST /v1/embeddings'],
    ['jina', 'rerank', 'POST /v1/rerank'],
    ['tei', 'embedding', 'GET /info'],
    ['deepgram', 'transcription', 'GET /v1/auth/token'],
    ['elevenlabs', 'speech', 'GET /v1/models'],
    ['bedrock', 'chat', 'POST /model/tiny/converse'],
  ] as const)('%s by its own cheapest question', async (kind, type, question) => {
    const [finding] = await examine(row({ kind }), () => Response.json({}), models(type));
    expect(asked).toEqual([question]);
    expect(finding?.state).toBe('ok');
  });

  test('something of every kind that is asked over the network, but of those that charge for each request', () => {
    const silent = [...providerAdapters.values()].filter(({ probes }) => probes === undefined);
    expect(silent.map(({ kind }) => kind)).toEqual(['native', 'simulator']);
  });

  test('that a key was not tried, where each request is charged', async () => {
    const [finding] = await examine(row({ kind: 'native' }), () => new Response(''));
    expect(asked).toEqual(['HEAD /']);
    expect(finding?.detail).toContain('its key was not tried');
  });

  test('how a connection fails', async () => {
    const detailAt = async (baseUrl: string) =>
      (await examine(row({ baseUrl }), () => Response.json({})))[0]?.detail ?? '';
    expect(await detailAt('http://127.0.0.1:1')).toContain('nothing listens there');
    expect(await detailAt(host.replace('http:', 'https:'))).toContain('no TLS is spoken there');
    expect(await detailAt('http://no-such-host.invalid')).toMatch(
      /no-such-host\.invalid: (no such host is known|the name cannot be looked up)/,
    );
  });

  test('nothing of what answers inside the program', async () => {
    expect(await examine(row({ kind: 'simulator' }), () => Response.json({}))).toMatchObject([
      { state: 'ok' },
    ]);
    expect(asked).toEqual([]);
  });
});
