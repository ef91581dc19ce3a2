import { afterEach, describe, expect, test } from 'bun:test';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import type { UpstreamTask } from '../provider.ts';
import { askVendor, fixturesIn, serveVendor, type VendorDouble } from '../testing/vendor-double.ts';
import { azureOpenai } from './azure-openai.ts';

const fixture = fixturesIn(import.meta.dir);
const request = readChatRequest('{"model":"m","messages":[{"role":"user","content":"When?"}]}');
const resource = 'https://harbour.openai.azure.com';

let vendor: VendorDouble | undefined;
afterEach(() => vendor?.stop());

const taskAt = (settings: Record<string, unknown> = {}, baseUrl = resource): UpstreamTask => ({
  target: { name: 'azure', baseUrl, region: null, secret: 'k', settings },
  model: 'our mini',
  stream: false,
  body: '',
  forwarded: {},
});

/** The addresses of all its work, in one order. */
async function addressesOf(task: UpstreamTask): Promise<string[]> {
  const { chat = [], embeddings, transcription, speech } = azureOpenai.supports(task.target.settings);
  const all = [...chat, embeddings, transcription, speech];
  return Promise.all(all.map(async (support) => (await support?.address(task))?.url ?? 'none'));
}

describe('azure-openai', () => {
  test('finds its work under the interface without versions, with the deployment as the model', async () => {
    expect(await addressesOf(taskAt())).toEqual([
      `${resource}/openai/v1/responses`,
      `${resource}/openai/v1/chat/completions`,
      `${resource}/openai/v1/embeddings`,
      `${resource}/openai/v1/audio/transcriptions`,
      `${resource}/openai/v1/audio/speech`,
    ]);
  });

  test('puts the deployment in the path where a dated version is set', async () => {
    const version = '?api-version=2025-04-01-preview';
    const deployment = `${resource}/openai/deployments/our%20mini`;
    expect(await addressesOf(taskAt({ api_version: '2025-04-01-preview' }))).toEqual([
      `${resource}/openai/responses${version}`,
      `${deployment}/chat/completions${version}`,
      `${deployment}/embeddings${version}`,
      `${deployment}/audio/transcriptions${version}`,
      `${deployment}/audio/speech${version}`,
    ]);
  });

  test.each(['/', '/openai', '/openai/', '/openai/v1', '/openai/v1/'])(
    'takes a base URL that ends in %p',
    async (ending) => {
      expect((await addressesOf(taskAt({}, `${resource}${ending}`)))[0]).toBe(
        `${resource}/openai/v1/responses`,
      );
    },
  );

  test('is asked in responses first, but of a version from before it had them', () => {
    const namesOf = (settings: object) =>
      azureOpenai.supports({ ...settings }).chat?.map(({ protocol }) => protocol.name);
    expect(namesOf({})).toEqual(['responses', 'chat-completions']);
    expect(namesOf({ api_version: '2025-03-01-preview' })).toEqual(['responses', 'chat-completions']);
    expect(namesOf({ api_version: '2024-10-21' })).toEqual(['chat-completions']);
    expect(namesOf({ protocols: ['chat-completions'] })).toEqual(['chat-completions']);
  });

  test('sends a key in its own header, and a token as a bearer’s', async () => {
    const [chat] = azureOpenai.supports({}).chat ?? [];
    const byKey = (await chat?.address(taskAt()))?.headers;
    expect(byKey).toMatchObject({ 'api-key': 'k', 'content-type': 'application/json' });
    expect(byKey).not.toHaveProperty('authorization');
    const byToken = (await chat?.address(taskAt({ auth: 'bearer' })))?.headers;
    expect(byToken).toMatchObject({ authorization: 'Bearer k' });
    expect(byToken).not.toHaveProperty('api-key');
  });

  test('asks a deployment, and its answer passes with what the filter found', async () => {
    vendor = serveVendor(fixture('whole.json'));
    const [, chat] = azureOpenai.supports({}).chat ?? [];
    if (chat === undefined) throw new Error('azure chats');
    const body = chat.protocol.passthrough?.writeRequest(request, 'our-mini') ?? '';
    const text = await askVendor(chat.address(taskAt({}, vendor.url)), body);
    expect(vendor.requests).toMatchObject([
      { path: '/openai/v1/chat/completions', body: { model: 'our-mini' } },
    ]);
    const answer = chat.protocol.passthrough?.readAnswer(text, request);
    expect(answer?.body).toBe(fixture('whole.json'));
    expect(answer?.usage).toMatchObject({ inputTokens: 18, outputTokens: 7 });
  });

  test('a prompt that its filter stopped is known as such, whatever the outer code is', () => {
    const [, chat] = azureOpenai.supports({}).chat ?? [];
    expect(chat?.protocol.readComplaint(fixture('content-filter.json'))).toMatchObject({
      code: 'content_filter',
      param: 'prompt',
      status: 400,
    });
  });

  test.each([
    [{ api_version: 'latest' }, 'api_version: expected a date'],
    [{ api_version: 20241021 }, 'api_version: expected a date'],
    [{ auth: 'token' }, 'auth: expected api-key or bearer'],
    [{ version: '2024-10-21' }, 'version: is not a setting of this kind'],
    [{ protocols: ['gemini'] }, 'protocols: expected a list'],
  ])('refuses the settings %j', (settings, sentence) => {
    expect(() => azureOpenai.checkSettings?.(settings)).toThrow(sentence);
  });

  test('takes good settings, and the protocols that a row chooses', () => {
    const settings = { api_version: '2024-10-21', auth: 'bearer', protocols: ['responses'] };
    expect(() => azureOpenai.checkSettings?.(settings)).not.toThrow();
    expect(azureOpenai.supports(settings).chat?.map(({ protocol }) => protocol.name)).toEqual(['responses']);
  });
});
