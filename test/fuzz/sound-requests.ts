/** Requests that are right, for every endpoint: where the fuzz begins before it spoils something. */
import fc from 'fast-check';
import { chatUpstream } from '../../src/protocols/chat-completions/protocol.ts';
import { googleUpstream } from '../../src/protocols/google/protocol.ts';
import { asObject, type JsonObject, tryParseJson } from '../../src/protocols/json/fields.ts';
import { messagesUpstream } from '../../src/protocols/messages/protocol.ts';
import type { UpstreamProtocol } from '../../src/protocols/protocol.ts';
import { responsesUpstream } from '../../src/protocols/responses/protocol.ts';
import { turnRequest } from '../../src/protocols/turn/testing/arbitrary-request.ts';
import { ownRequests } from '../captures/own-requests.ts';
import { modelsOf } from './setting.ts';

export interface SoundRequest {
  /** What the table at the end calls it. */
  readonly endpoint: string;
  readonly method: 'GET' | 'POST';
  /** Where the model stands in the path. */
  path(model: string): string;
  /** Those that it may name. */
  readonly models: readonly string[];
  readonly json?: JsonObject;
  /** Fields of a form with a recording, instead of JSON. */
  readonly form?: Readonly<Record<string, string>>;
}

const turnsEach = 60;
const chatModels = [...modelsOf('chat'), 'double-1', 'auto'];
const at = (path: string) => () => path;
const generating = (method: string) => (model: string) => `/v1beta/models/${model}:${method}`;

/** Turns of every shape, written in each protocol by the writers that ask upstreams with it. */
function written(protocol: UpstreamProtocol, seed: number): readonly JsonObject[] {
  const facts = { id: 'm', maxOutputTokens: 4096 };
  return fc.sample(turnRequest, { seed, numRuns: turnsEach }).flatMap((turn) => {
    try {
      const json = asObject(tryParseJson(protocol.writeRequest(turn, facts)));
      return json === undefined ? [] : [json];
    } catch {
      // What a protocol cannot hold is refused by its writer, and is no request of it.
      return [];
    }
  });
}

const ownIn = (from: string) =>
  ownRequests.filter((each) => each.from === from).map(({ request }) => request);

const hello = [{ role: 'user', content: 'Where does the river go?' }];

export function soundRequests(seed: number): readonly SoundRequest[] {
  const chats = [{ messages: hello }, ...ownIn('chat-completions'), ...written(chatUpstream(), seed)];
  const messages = [
    { messages: hello, max_tokens: 100 },
    ...ownIn('anthropic'),
    ...written(messagesUpstream, seed),
  ];
  const responses = [{ input: 'Hello' }, ...ownIn('responses'), ...written(responsesUpstream, seed)];
  const contents = [...ownIn('google'), ...written(googleUpstream, seed)];
  const chat = (endpoint: string, path: string, requests: readonly JsonObject[]): SoundRequest[] =>
    requests.map((json) => ({ endpoint, method: 'POST', path: at(path), models: chatModels, json }));
  return [
    ...chat('chat completions', '/v1/chat/completions', bothWays(chats)),
    ...chat('messages', '/v1/messages', bothWays(messages)),
    ...chat('responses', '/v1/responses', bothWays(responses)),
    ...chat('count_tokens', '/v1/messages/count_tokens', messages.map(withoutLimit)),
    ...native(responses),
    ...gemini(contents),
    ...units(),
    ...reads(),
  ];
}

const bothWays = (requests: readonly JsonObject[]): readonly JsonObject[] =>
  requests.flatMap((json) => [
    { ...json, stream: false },
    { ...json, stream: true },
  ]);

function withoutLimit(json: JsonObject): JsonObject {
  const { max_tokens: _limit, stream: _stream, ...rest } = json;
  return rest;
}

function native(responses: readonly JsonObject[]): SoundRequest[] {
  const [one, other] = ['/v1/native/responses', '/v1/codex/responses'];
  return responses
    .filter(({ input }) => Array.isArray(input))
    .map((json, number) => ({
      endpoint: 'native responses',
      method: 'POST',
      path: at((number % 2 === 0 ? one : other) ?? ''),
      models: ['relay', 'relay', 'relay', 'double-1'],
      json: { ...json, stream: true },
    }));
}

function gemini(contents: readonly JsonObject[]): SoundRequest[] {
  const methods = [
    ['generateContent', ''],
    ['streamGenerateContent', ''],
    ['streamGenerateContent', '?alt=sse'],
    ['countTokens', ''],
  ] as const;
  return methods.flatMap(([method, query]) =>
    contents.map((json): SoundRequest => {
      const isCount = method === 'countTokens';
      return {
        endpoint: `gemini ${method}`,
        method: 'POST',
        path: (model) => generating(method)(model) + query,
        models: chatModels,
        json: isCount ? { contents: json['contents'] } : json,
      };
    }),
  );
}

function units(): SoundRequest[] {
  const unit = (endpoint: string, path: string, type: string, requests: readonly JsonObject[]) =>
    requests.map(
      (json): SoundRequest => ({ endpoint, method: 'POST', path: at(path), models: modelsOf(type), json }),
    );
  return [
    ...unit('embeddings', '/v1/embeddings', 'embedding', [
      { input: 'one river' },
      { input: ['one river', 'two boats'], encoding_format: 'base64' },
      { input: [15_339, 374], dimensions: 8, user: 'u-17' },
      { input: [[15_339], [374, 264]], encoding_format: 'float', input_type: 'query' },
    ]),
    ...unit('rerank', '/v1/rerank', 'rerank', [
      { query: 'a river', documents: ['a mill', 'a boat'] },
      { query: 'a river', documents: [{ text: 'a mill' }, 'a boat'], top_n: 1, return_documents: true },
    ]),
    ...unit('speech', '/v1/audio/speech', 'speech', [
      { input: 'Two boats pass.', voice: 'alloy' },
      {
        input: 'Two boats pass.',
        voice: 'alloy',
        response_format: 'wav',
        speed: 1.5,
        instructions: 'Slowly.',
      },
    ]),
    ...[{}, { response_format: 'verbose_json', language: 'en', prompt: 'boats', temperature: '0.2' }].map(
      (form): SoundRequest => ({
        endpoint: 'transcriptions',
        method: 'POST',
        path: at('/v1/audio/transcriptions'),
        models: modelsOf('transcription'),
        form: Object.fromEntries(Object.entries(form)),
      }),
    ),
  ];
}

function reads(): SoundRequest[] {
  const read = (path: (model: string) => string): SoundRequest => ({
    endpoint: 'models',
    method: 'GET',
    path,
    models: chatModels,
  });
  return [
    read(at('/v1/models')),
    read(at('/v1/models?limit=2')),
    read((model) => `/v1/models/${model}`),
    read(at('/v1beta/models')),
    read(at('/v1beta/models?pageSize=3')),
    read((model) => `/v1beta/models/${model}`),
  ];
}
