/** Converted answers through the official clients and their accumulators, over a socket. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { asObject, asText } from '../../src/protocols/json/fields.ts';
import { serveConverted, type UpstreamAnswers } from '../../src/protocols/testing/converted-server.ts';
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';
import { clients, requestReaders, type ServedProtocol, upstreamModels, upstreams } from './protocols.ts';

/** The whole answer as the caller's program gets it. */
export async function askThrough(
  client: ServedProtocol,
  upstream: RecordedProtocol,
  answer: UpstreamAnswers,
): Promise<unknown> {
  const server = serveConverted({
    client: clients[client],
    upstream: upstreams[upstream],
    read: requestReaders[client],
    upstreamId: upstreamModels[upstream],
    answers: [answer],
  });
  try {
    return await callers[client](server.url, answer.stream !== undefined);
  } finally {
    server.stop();
  }
}

const callers: Readonly<Record<ServedProtocol, (url: string, streamed: boolean) => Promise<unknown>>> = {
  async anthropic(url, streamed) {
    const client = new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0 });
    const ask = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };
    return streamed ? client.messages.stream(ask).finalMessage() : client.messages.create(ask);
  },
  async 'chat-completions'(url, streamed) {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 });
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
  async responses(url, streamed) {
    const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 });
    const ask = { model: 'm', input: 'hi' };
    return streamed ? client.responses.stream(ask).finalResponse() : client.responses.create(ask);
  },
};
