/** How settings, file and environment come together at a start and in `config check`. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, writeMistake } from '../configuration/index.ts';
import { providerAdapters } from '../providers/index.ts';
import { checkConfiguration, loadConfiguration } from './configuration.ts';

const openai = { defaultBaseUrl: null, needsCredential: false, supports: () => ({ chat: [] }) };
const kinds = new Map([['openai', openai]]);

/** Far more than the service grants: a busy machine must not make a test fail. */
const patienceMs = 20_000;

let folder = '';
let ollama: ReturnType<typeof Bun.serve>;
let probes = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'configuration-'));
  probes = 0;
  ollama = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      probes += 1;
      return Response.json({ data: [{ id: 'llama3.2' }] });
    },
  });
});
afterEach(async () => {
  await ollama.stop(true);
  await rm(folder, { recursive: true });
});

const variables = (more: Record<string, string> = {}) => ({
  SLUICE_DATA_DIR: join(folder, 'data'),
  OLLAMA_HOST: `127.0.0.1:${ollama.port}`,
  ...more,
});

async function file(text: string): Promise<string> {
  const path = join(folder, 'sluice.yaml');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

describe('loadConfiguration', () => {
  test('without a file takes keys, an Ollama and the simulator from where they are', async () => {
    const { file: none, declared } = await loadConfiguration(
      variables({ GROQ_API_KEY: 'k' }),
      kinds,
      patienceMs,
    );
    expect(none).toBeNull();
    expect(declared.providers.map(({ name }) => name)).toEqual(['groq', 'ollama', 'simulator']);
    const ids = declared.models.map(({ id }) => id);
    expect(ids).toContain('groq/openai/gpt-oss-20b');
    expect(ids).toContain('ollama/llama3.2');
    expect(ids).toContain('simulator-priced');
  });

  test('with a file takes nothing else but the simulator, and looks for no Ollama', async () => {
    const SLUICE_CONFIG = await file(
      'providers: [{ name: main, kind: openai, base_url: "http://127.0.0.1:1/v1" }]',
    );
    const loaded = await loadConfiguration(
      variables({ SLUICE_CONFIG, GROQ_API_KEY: 'k' }),
      kinds,
      patienceMs,
    );
    expect(loaded.file?.providers.map(({ name }) => name)).toEqual(['main']);
    expect(loaded.declared.providers.map(({ name }) => name)).toEqual(['simulator']);
    expect(probes).toBe(0);
  });

  test('has no simulator on a database of its own', async () => {
    const shared = { DATABASE_URL: 'postgres://db/sluice', SLUICE_SECRET: 's'.repeat(32) };
    const { declared } = await loadConfiguration(variables(shared), kinds, patienceMs);
    expect(declared.providers.map(({ name }) => name)).toEqual(['ollama']);
  });

  test('throws every mistake of every source at once', async () => {
    const SLUICE_CONFIG = await file('models: 3\nusers: [{}]');
    const thrown: unknown = await loadConfiguration(variables({ SLUICE_CONFIG, PORT: 'x' }), kinds).catch(
      (error: unknown) => error,
    );
    if (!(thrown instanceof ConfigurationError)) throw new Error('not refused');
    expect(thrown.message.split('\n')).toEqual([
      'PORT: "x" will not do, expected a port from 1 to 65535, or 0 for a free one',
      'sluice.yaml:1:1: models: expected a list',
      'sluice.yaml:2:9: users[0].email: is missing',
      'sluice.yaml:2:9: users[0].password: is missing',
      'sluice.yaml:2:9: users[0].role: is missing',
    ]);
  });
});

describe('checkConfiguration', () => {
  test('holds a file against what each kind of provider is', async () => {
    const SLUICE_CONFIG = await file(`
providers:
  - { name: aws, kind: bedrock, settings: { bucket: [shelf] }, credentials: [{ name: k1, api_key: AKIA:short }] }
  - { name: agent, kind: native, base_url: "http://127.0.0.1:1", settings: { acount_header: x }, credentials: [{ name: k1, api_key: plain }] }
  - { name: claude, kind: anthropic, credentials: [{ name: k1, api_key: key }] }
  - { name: ears, kind: deepgram, credentials: [{ name: k1, api_key: key }] }
  - { name: server, kind: tei, base_url: "http://127.0.0.1:1", settings: { max_client_batch_size: many } }
models:
  - { id: e, type: embedding, owned_by: o, prices: { input: 0 }, providers: [{ provider: claude, upstream_id: e }] }
  - { id: c, owned_by: o, prices: { input: 0, output: 0 }, providers: [{ provider: ears, upstream_id: c }] }
  - { id: n, owned_by: o, prices: { input: 0, output: 0 }, providers: [{ provider: agent, upstream_id: n }] }
  - { id: t, type: transcription, owned_by: o, providers: [{ provider: ears, upstream_id: t }] }
`);
    const { mistakes, warnings } = await checkConfiguration(variables({ SLUICE_CONFIG }), providerAdapters);
    expect(mistakes.map(({ where, message }) => `${where}: ${message}`)).toEqual([
      expect.stringMatching(/^providers\[0\]\.region: is missing: expected a region of AWS/),
      expect.stringMatching(
        /^providers\[0\]\.settings\.bucket: is not a setting of this kind, which has region/,
      ),
      expect.stringMatching(/^providers\[0\]\.credentials\[0\]\.api_key: expected a Bedrock API key/),
      expect.stringMatching(/^providers\[1\]\.settings\.acount_header: is not a setting of this kind/),
      expect.stringMatching(/^providers\[1\]\.credentials\[0\]\.api_key: expected JSON such as/),
      expect.stringMatching(/^providers\[4\]\.settings\.max_client_batch_size: expected a whole number/),
      'models[0].type: an embedding model cannot be served by a provider of the kind anthropic',
      'models[1].type: a chat model cannot be served by a provider of the kind deepgram',
    ]);
    expect(warnings.map(({ where }) => where)).toEqual(['models[3].prices']);
  });

  test('finds the same mistakes without network and without writing', async () => {
    const wrong = variables({ PORT: 'x', OPENAI_API_KEY: 'two words', SLUICE_LOGLEVEL: 'info' });
    const { mistakes } = await checkConfiguration(wrong, kinds);
    expect(mistakes.map(({ where }) => where)).toEqual(['PORT', 'SLUICE_LOGLEVEL', 'OPENAI_API_KEY']);
    expect(probes).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  test('has nothing to say of a sound one, and passes warnings on', async () => {
    expect(await checkConfiguration(variables(), kinds)).toEqual({ mistakes: [], warnings: [] });
    const moved = variables({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' });
    const { mistakes, warnings } = await checkConfiguration(moved, kinds);
    expect(mistakes).toEqual([]);
    expect(warnings.map(writeMistake)).toEqual([expect.stringMatching(/^OPENAI_BASE_URL: /)]);
  });
});
