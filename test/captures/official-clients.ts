/** Converted answers through the official clients and their accumulators, over a socket. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { asObject, asText } from '../../src/protocols/json/fields.ts';
import { serveConverted, type UpstreamAnswers } from '../../src/protocols/testing/converted-server.ts';
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';
import { foldStream } from './fold-stream.ts';
import { clients, requestReaders, upstreamModels, upstreams } from './protocols.ts';

/** Puts faults into what the client is sent, for tests of the comparison itself. */
export type Tamper = (body: string) => string;

interface Ask {
  readonly url: string;
  readonly streamed: boolean;
  readonly fetch: typeof fetch;
}

/** The whole answer as the caller's program gets it. */
export async function askThrough(
  client: RecordedProtocol,
  upstream: RecordedProtocol,
  { tamper, ...answer }: UpstreamAnswers & { readonly tamper?: Tamper | undefined },
): Promise<unknown> {
  const server = serveConverted({
    client: clients[client],
    upstream: upstreams[upstream],
    read: requestReaders[client],
    upstreamId: upstreamModels[upstream],
    answers: [answer],
  });
  try {
    const streamed = answer.stream !== undefined;
    return await callers[client]({ url: server.url, streamed, fetch: fetchThrough(tamper) });
  } finally {
    server.stop();
  }
}

function fetchThrough(tamper: Tamper | undefined): typeof fetch {
  if (tamper === undefined) return fetch;
  const tampered = async (...request: Parameters<typeof fetch>) => {
    const { status, headers, ...response } = await readAll(await fetch(...request));
    return new Response(tamper(response.text), { status, headers });
  };
  return Object.assign(tampered, { preconnect: fetch.preconnect });
}

async function readAll(response: Response) {
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, headers: { 'content-type': type }, text: await response.text() };
}

const thinkingPieces: ReadonlySet<string> = new Set([
  'response.reasoning_text.delta',
  'response.reasoning_summary_text.delta',
]);

const callers: Readonly<Record<RecordedProtocol, (ask: Ask) => Promise<unknown>>> = {
  async anthropic({ url, streamed, fetch }) {
    const client = new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0, fetch });
    const ask = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };
    return streamed ? client.messages.stream(ask).finalMessage() : client.messages.create(ask);
  },
  async 'chat-completions'({ url, streamed, fetch }) {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, fetch });
    const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
    if (!streamed) return client.chat.completions.create(ask);
    const options = { ...ask, stream_options: { include_usage: true } };
    const stream = client.chat.completions.stream(options);
    // Not OpenAI's own field, so its accumulator keeps the last piece alone.
    let thinking = '';
    stream.on('chunk', (chunk) => {
      thinking += asText(asObject(chunk.choices[0]?.delta)?.['reasoning_content']) ?? '';
    });
    const completion = await stream.finalChatCompletion();
    const [choice] = completion.choices;
    return {
      ...completion,
      choices: [{ ...choice, message: { ...choice?.message, reasoning_content: thinking } }],
    };
  },
  async responses({ url, streamed, fetch }) {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, fetch });
    const ask = { model: 'm', input: 'hi' };
    if (!streamed) return client.responses.create(ask);
    const stream = client.responses.stream(ask);
    // Its helper takes the answer from the last event; a program that shows the pieces sees these.
    const pieces = { text: '', thinking: '', arguments: '' };
    stream.on('event', (event) => {
      if (event.type === 'response.output_text.delta') pieces.text += event.delta;
      if (event.type === 'response.function_call_arguments.delta') pieces.arguments += event.delta;
      if (thinkingPieces.has(event.type)) pieces.thinking += asText(Reflect.get(event, 'delta')) ?? '';
    });
    const response = await stream.finalResponse();
    if (response.status === 'in_progress') throw new Error('the stream broke off');
    return { ...response, pieces };
  },
  async google({ url, streamed, fetch }) {
    const client = new GoogleGenAI({
      apiKey: 'k',
      httpOptions: { baseUrl: url, fetch, retryOptions: { attempts: 1 } },
    });
    // Thoughts are shown to who asks for them.
    const config = { thinkingConfig: { includeThoughts: true } };
    const ask = { model: 'm', contents: 'hi', config };
    if (!streamed) return client.models.generateContent(ask);
    // It has no helper that puts the pieces together, so that every program does it by itself.
    const pieces = await Array.fromAsync(await client.models.generateContentStream(ask));
    return foldStream(
      'google',
      pieces.map((piece) => ({ ...piece })),
    );
  },
};
