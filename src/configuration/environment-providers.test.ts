/** Which providers the keys in the environment bring, and what an Ollama adds. */
import { afterEach, describe, expect, test } from 'bun:test';
import { listedModels } from '../catalogue/index.ts';
import { providerAdapters } from '../providers/index.ts';
import { environmentPresets, readEnvironmentProviders } from './environment-providers.ts';
import { findOllama, simulatorDeclaration } from './local-providers.ts';
import { writeMistake } from './mistake.ts';

describe('readEnvironmentProviders', () => {
  test('declares nothing when no key is set', () => {
    expect(readEnvironmentProviders({ OPENAI_API_KEY: '' })).toEqual({
      providers: [],
      models: [],
      mistakes: [],
      warnings: [],
    });
  });

  test.each([
    ['OPENAI_API_KEY', 'openai', 'openai', 'https://api.openai.com/v1'],
    ['ANTHROPIC_API_KEY', 'anthropic', 'anthropic', 'https://api.anthropic.com/v1'],
    ['GEMINI_API_KEY', 'gemini', 'google', null],
    ['OPENROUTER_API_KEY', 'openrouter', 'openrouter', 'https://openrouter.ai/api/v1'],
    ['GROQ_API_KEY', 'groq', 'groq', 'https://api.groq.com/openai/v1'],
    ['DEEPSEEK_API_KEY', 'deepseek', 'deepseek', 'https://api.deepseek.com/v1'],
    ['MISTRAL_API_KEY', 'mistral', 'mistral', 'https://api.mistral.ai/v1'],
    ['XAI_API_KEY', 'xai', 'xai', 'https://api.x.ai/v1'],
    ['MOONSHOT_API_KEY', 'moonshot', 'moonshot', 'https://api.moonshot.ai/v1'],
    ['COHERE_API_KEY', 'cohere', 'cohere', null],
    ['VOYAGE_API_KEY', 'voyage', 'voyage', null],
    ['JINA_API_KEY', 'jina', 'jina', null],
    ['DEEPGRAM_API_KEY', 'deepgram', 'deepgram', null],
    ['ELEVENLABS_API_KEY', 'elevenlabs', 'elevenlabs', null],
  ])('%s brings %s with its listed models', (variable, name, kind, baseUrl) => {
    const { providers, models, mistakes } = readEnvironmentProviders({ [variable]: ' the-key ' });
    expect(mistakes).toEqual([]);
    expect(providers).toMatchObject([
      { name, kind, baseUrl, credentials: [{ name: variable, secret: 'the-key' }] },
    ]);
    expect(models.length).toBeGreaterThan(0);
    expect(models.map(({ id }) => id)).toEqual(listedModels(name).map(({ id }) => id));
  });

  const everyKey = Object.fromEntries(environmentPresets.map(({ keyVariable }) => [keyVariable, 'k']));

  test('every provider that a key can bring is of a kind that there is, at an address', () => {
    const { providers } = readEnvironmentProviders(everyKey);
    expect(providers).toHaveLength(environmentPresets.length);
    for (const { kind, baseUrl } of providers) {
      const adapter = providerAdapters.get(kind);
      expect([kind, typeof (baseUrl ?? adapter?.defaultBaseUrl)]).toEqual([kind, 'string']);
    }
  });

  test('all keys together bring models whose names do not clash', () => {
    const { models } = readEnvironmentProviders(everyKey);
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    expect(new Set(models.map(({ displayOrder }) => displayOrder)).size).toBe(models.length);
  });

  test('an OPENAI_BASE_URL that is the path of an endpoint is a mistake', () => {
    const moved = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9001/v1/chat/completions' };
    expect(readEnvironmentProviders(moved).mistakes.map(writeMistake)).toEqual([
      expect.stringMatching(
        /^OPENAI_BASE_URL: ends in the path of one endpoint: leave out \/chat\/completions/,
      ),
    ]);
  });

  test('OPENAI_BASE_URL moves the provider and says whose prices are used', () => {
    const moved = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9001/v1/' };
    const { providers, warnings } = readEnvironmentProviders(moved);
    expect(providers[0]?.baseUrl).toBe('http://127.0.0.1:9001/v1');
    expect(warnings.map(({ where }) => where)).toEqual(['OPENAI_BASE_URL']);
    const same = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://api.openai.com' };
    expect(readEnvironmentProviders(same).warnings).toEqual([]);
  });

  test('a wrong value is a mistake that does not show the key', () => {
    const wrong = { OPENAI_API_KEY: 'two words', OPENAI_BASE_URL: 'nowhere' };
    const lines = readEnvironmentProviders(wrong).mistakes.map(writeMistake);
    expect(lines).toEqual([
      expect.stringContaining('OPENAI_API_KEY: the value will not do'),
      expect.stringContaining('OPENAI_BASE_URL: "nowhere" will not do'),
    ]);
    expect(lines.join()).not.toContain('two words');
  });
});

describe('findOllama', () => {
  /** Far more than the service grants: a busy machine must not make a test fail. */
  const patienceMs = 20_000;
  const servers: { stop: (now: boolean) => unknown }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.stop(true);
  });
  const serve = (answer: (request: Request) => Response | Promise<Response>) => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
    servers.push(server);
    return server.port;
  };
  const models = { object: 'list', data: [{ id: 'llama3.2:latest', object: 'model' }, { id: 'qwen3:8b' }] };

  test.each(['127.0.0.1:PORT', 'http://127.0.0.1:PORT/', '0.0.0.0:PORT', 'http://127.0.0.1:PORT/under'])(
    'lists its models, free of charge, when OLLAMA_HOST is %s',
    async (written) => {
      const paths: string[] = [];
      const port = serve((request) => {
        paths.push(new URL(request.url).pathname);
        return Response.json(models);
      });
      const found = await findOllama({ OLLAMA_HOST: written.replace('PORT', String(port)) }, patienceMs);
      const path = written.endsWith('under') ? '/under/v1' : '/v1';
      expect(found.providers).toMatchObject([
        { name: 'ollama', kind: 'ollama', baseUrl: `http://127.0.0.1:${port}${path}`, credentials: [] },
      ]);
      expect(found.models).toMatchObject([
        { id: 'ollama/llama3.2:latest', prices: { input: 0n, output: 0n } },
        { id: 'ollama/qwen3:8b', deployments: [{ provider: 'ollama', upstreamId: 'qwen3:8b' }] },
      ]);
      expect(paths).toEqual([`${path}/models`]);
    },
  );

  test.each([
    ['an error', () => new Response('busy', { status: 503 })],
    ['something else', () => Response.json({ hello: 'there' })],
    ['a web page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['a redirect elsewhere', () => Response.redirect('http://127.0.0.1:1/')],
  ])('declares nothing when the answer is %s, and warns since OLLAMA_HOST was set', async (_what, answer) => {
    const found = await findOllama({ OLLAMA_HOST: `127.0.0.1:${serve(answer)}` }, patienceMs);
    expect([...found.providers, ...found.models, ...found.mistakes]).toEqual([]);
    expect(found.unheard).toMatchObject([{ name: 'ollama' }]);
    expect(found.warnings.map(writeMistake)).toEqual([
      expect.stringMatching(/^OLLAMA_HOST: no Ollama answered/),
    ]);
  });

  test('gives up on a machine that accepts and then says nothing', async () => {
    const port = serve(() => new Promise<Response>(() => undefined));
    const found = await findOllama({ OLLAMA_HOST: `127.0.0.1:${port}` }, 20);
    expect(found.providers).toEqual([]);
    expect(found.warnings).toHaveLength(1);
  });

  test('calls a host that cannot be one a mistake', async () => {
    const found = await findOllama({ OLLAMA_HOST: 'user@:::' });
    expect(found.mistakes).toHaveLength(1);
  });
});

describe('an Azure resource', () => {
  const azure = {
    AZURE_OPENAI_API_KEY: 'k',
    AZURE_OPENAI_ENDPOINT: 'https://harbour.openai.azure.com/',
    AZURE_OPENAI_DEPLOYMENTS: 'gpt-4o-mini, our-model,text-embedding-3-small',
  };

  test('is declared with its deployments, priced where they are called like listed models', () => {
    const { providers, models, warnings } = readEnvironmentProviders(azure);
    expect(providers).toMatchObject([
      { name: 'azure', kind: 'azure-openai', baseUrl: 'https://harbour.openai.azure.com' },
    ]);
    expect(models).toMatchObject([
      { id: 'azure/gpt-4o-mini', type: 'chat', prices: { input: 150_000_000n } },
      { id: 'azure/our-model', type: 'chat', prices: null },
      { id: 'azure/text-embedding-3-small', type: 'embedding', prices: { input: 20_000_000n } },
    ]);
    expect(models[1]?.deployments).toEqual([{ provider: 'azure', upstreamId: 'our-model' }]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['AZURE_OPENAI_ENDPOINT', ''],
    ['AZURE_OPENAI_DEPLOYMENTS', ''],
  ])('is left out, with a warning, without %s', (variable, value) => {
    const { providers, warnings, mistakes } = readEnvironmentProviders({ ...azure, [variable]: value });
    expect([...providers, ...mistakes]).toEqual([]);
    expect(warnings.map(writeMistake)).toEqual([`AZURE_OPENAI_API_KEY: is not used without ${variable}`]);
  });

  test('with the path of a deployment is a mistake', () => {
    const copied = 'https://harbour.openai.azure.com/openai/deployments/mini';
    const { mistakes } = readEnvironmentProviders({ ...azure, AZURE_OPENAI_ENDPOINT: copied });
    expect(mistakes.map(writeMistake)).toEqual([
      expect.stringContaining('AZURE_OPENAI_ENDPOINT: expected the address of the resource alone'),
    ]);
  });

  test('with a deployment that cannot be one is a mistake', () => {
    const { mistakes } = readEnvironmentProviders({ ...azure, AZURE_OPENAI_DEPLOYMENTS: 'a b' });
    expect(mistakes.map(({ where }) => where)).toEqual(['AZURE_OPENAI_DEPLOYMENTS']);
  });
});

test('the simulator has a free model and a priced one for chat, both its own', () => {
  const { providers, models } = simulatorDeclaration;
  expect(providers).toMatchObject([{ name: 'simulator', kind: 'simulator', baseUrl: null }]);
  const chat = models.filter(({ type }) => type === 'chat');
  expect(chat.map(({ id, prices }) => [id, prices?.output === 0n])).toEqual([
    ['simulator', true],
    ['simulator-priced', false],
  ]);
});
