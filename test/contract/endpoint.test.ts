/** The cases of every endpoint, for all of them on one server. */
import { afterAll, beforeAll, describe } from 'bun:test';
import { wavFile } from '../../src/protocols/audio-file/testing/plain-files.ts';
import { startTestSluice, type TestSluice, usualModel } from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';
import { describeEndpoint } from './endpoint.cases.ts';
import { caseFile, type EndpointCase, mintTokens } from './endpoint-setup.ts';

const messages = [{ role: 'user', content: 'Where does the river go?' }];
const contents = [{ role: 'user', parts: [{ text: 'Where does the river go?' }] }];
const { prices: tokenPrices } = usualModel;
const sound = wavFile({ seconds: 2 });

const json = (fields: object) => (model: string) => ({ body: JSON.stringify({ model, ...fields }) });

const endpoints: readonly EndpointCase[] = [
  {
    path: '/v1/chat/completions',
    type: 'chat',
    kind: 'openai',
    prices: tokenPrices,
    request: json({ messages }),
    passesMembers: true,
    errors: 'openai',
  },
  {
    path: '/v1/messages',
    type: 'chat',
    kind: 'anthropic',
    prices: tokenPrices,
    request: json({ messages, max_tokens: 100 }),
    passesMembers: true,
    errors: 'anthropic',
  },
  {
    path: '/v1/responses',
    type: 'chat',
    kind: 'openai',
    prices: tokenPrices,
    request: json({ input: 'Where does the river go?' }),
    errors: 'openai',
  },
  {
    path: '/v1beta/models/…:generateContent',
    type: 'chat',
    kind: 'openai',
    prices: tokenPrices,
    request: (model) => ({
      path: `/v1beta/models/${model}:generateContent`,
      body: JSON.stringify({ contents }),
    }),
    errors: 'google',
  },
  {
    path: '/v1/embeddings',
    type: 'embedding',
    kind: 'openai',
    prices: { input: 1 },
    request: json({ input: 'one river' }),
    passesMembers: true,
    errors: 'openai',
  },
  {
    path: '/v1/rerank',
    type: 'rerank',
    kind: 'jina',
    prices: { input: 1 },
    request: json({ query: 'a river', documents: ['a mill', 'a boat'] }),
    errors: 'openai',
  },
  {
    path: '/v1/audio/speech',
    type: 'speech',
    kind: 'openai',
    prices: { character: 15 },
    streams: true,
    request: json({ input: 'Two boats pass.', voice: 'alloy' }),
    passesMembers: true,
    errors: 'openai',
  },
  {
    path: '/v1/audio/transcriptions',
    type: 'transcription',
    kind: 'openai',
    prices: { audio_second: 100 },
    isForm: true,
    request(model) {
      const body = new FormData();
      body.append('file', new File([new Uint8Array(sound)], 'speech.wav'));
      body.append('model', model);
      return { body };
    },
    errors: 'openai',
  },
];

const cases = endpoints.map((endpoint) => ({ endpoint, tokens: mintTokens() }));
let sluice: TestSluice;
let backup: Upstream;

beforeAll(async () => {
  backup = startUpstream();
  sluice = await startTestSluice({
    skipsPauses: true,
    file: (upstream) => caseFile(cases, { upstream, backup: backup.url }),
    variables: { SLUICE_MAX_BODY_BYTES: '300000' },
  });
});
afterAll(async () => {
  await sluice.stop();
  backup.stop();
});

for (const [at, { endpoint, tokens }] of cases.entries()) {
  describe(endpoint.path, () => {
    describeEndpoint(endpoint, { at, tokens, running: () => ({ sluice, backup }) });
  });
}
