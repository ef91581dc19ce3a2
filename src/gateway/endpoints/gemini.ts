/**
 * Gemini's face: `…/models/{model}:generateContent`, `:streamGenerateContent` and `:countTokens`, under the two versions
 * of the API that its official clients ask for.
 */
import { googleErrors } from '../../protocols/google/errors.ts';
import { asJsonArray } from '../../protocols/google/json-array.ts';
import { googleClient } from '../../protocols/google/protocol.ts';
import { readGoogleCountRequest, readGoogleRequest } from '../../protocols/google/request.ts';
import type { Arrival } from '../endpoint.ts';
import { type ChatEndpoint, chatEndpoint } from './chat-endpoint.ts';
import { countEndpoint } from './count-endpoint.ts';

const geminiVersions = ['/v1beta', '/v1'] as const;

/** Official clients send the key in a header of its own; the documentation also shows it in the address. */
export function findGeminiToken({ headers, url }: Request): string | null {
  return headers.get('x-goog-api-key') ?? new URL(url).searchParams.get('key');
}

/** A model's id may have slashes in it, and colons, which some clients escape. */
function pathsOf(method: string): readonly string[] {
  const ends = `{.+(?::|%3[aA])${method}}`;
  return geminiVersions.flatMap((version) => [
    `${version}/models/:model${ends}`,
    `${version}/tunedModels/:tuned${ends}`,
  ]);
}

function modelIn({ parameters }: Arrival): string {
  const { model, tuned } = parameters;
  const id = (called: string) => called.slice(0, called.lastIndexOf(':'));
  return model === undefined ? `tunedModels/${id(tuned ?? '')}` : id(model);
}

function generating(method: string, stream: boolean): ChatEndpoint {
  const [path = '', ...otherPaths] = pathsOf(method);
  return {
    ...chatEndpoint({
      path,
      errors: googleErrors,
      client: googleClient,
      protocolHeaders: [],
      readRequest: (text, arrival) => readGoogleRequest(text, { model: modelIn(arrival), stream }),
    }),
    // Whether an answer was streamed stands beside it.
    name: '/v1beta/models/{model}:generateContent',
    otherPaths,
    findToken: findGeminiToken,
  };
}

export const generateContent = generating('generateContent', false);

export const streamGenerateContent: ChatEndpoint = {
  ...generating('streamGenerateContent', true),
  reshape: (response, { url }) =>
    new URL(url).searchParams.get('alt') === 'sse' ? response : inOneArray(response),
};

/** Whoever does not ask for server-sent events gets one JSON array, errors included. */
function inOneArray({ body, headers, status }: Response): Response {
  if (body === null) return new Response(null, { status, headers });
  if (!headers.get('content-type')?.startsWith('text/event-stream')) return listed(body, { headers, status });
  headers.set('content-type', 'application/json; charset=utf-8');
  return new Response(asJsonArray(body), { status, headers });
}

const encoder = new TextEncoder();

function listed(body: ReadableStream<Uint8Array>, init: ResponseInit): Response {
  const list = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode('[')),
    flush: (controller) => controller.enqueue(encoder.encode(']')),
  });
  return new Response(body.pipeThrough(list), init);
}

const [countPath = '', ...otherCountPaths] = pathsOf('countTokens');

export const countGeminiTokens = {
  ...countEndpoint({
    path: countPath,
    chat: generateContent,
    client: googleClient,
    readRequest: (text, arrival) => readGoogleCountRequest(text, modelIn(arrival)),
    writeCount: (totalTokens) => ({ totalTokens }),
  }),
  name: '/v1beta/models/{model}:countTokens',
  otherPaths: otherCountPaths,
  findToken: findGeminiToken,
};
