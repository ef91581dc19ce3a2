import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { chatClient, chatUpstream } from './chat-completions/protocol.ts';
import { readChatRequest } from './chat-completions/request.ts';
import { isJsonObject, tryParseJson } from './json-body.ts';
import { asObject, asObjects, asText } from './json-fields.ts';
import { messagesClient, messagesUpstream } from './messages/protocol.ts';
import { readMessagesRequest } from './messages/request.ts';
import { serveConverted, type UpstreamAnswers } from './testing/converted-server.ts';
import { hasRecordings, readRecording, recordedCases, recordedStreams } from './testing/recordings.ts';

/** What was said, in a shape that neither conversion nor client had a hand in. */
interface Said {
  text: string;
  calls: { name: string; input: unknown }[];
}

function saidByMessage(message: { content: readonly object[] }): Said {
  const said: Said = { text: '', calls: [] };
  for (const block of message.content.filter(isJsonObject)) {
    if (block['type'] === 'text') said.text += asText(block['text']) ?? '';
    if (block['type'] === 'tool_use')
      said.calls.push({ name: asText(block['name']) ?? '', input: block['input'] });
  }
  return said;
}

function saidByCompletion(choice: unknown): Said {
  const message = asObject(asObject(choice)?.['message']) ?? {};
  const calls = asObjects(message['tool_calls']).map((call) => {
    const called = asObject(call['function']);
    return { name: asText(called?.['name']) ?? '', input: tryParseJson(asText(called?.['arguments']) ?? '') };
  });
  return { text: asText(message['content']) ?? '', calls };
}

const ask = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };

async function asMessage(answer: UpstreamAnswers) {
  const server = serveConverted({
    client: messagesClient,
    upstream: chatUpstream(),
    read: readMessagesRequest,
    upstreamId: 'gpt-x',
    answers: [answer],
  });
  const client = new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0 });
  const message =
    answer.stream === undefined
      ? await client.messages.create(ask)
      : await client.messages.stream(ask).finalMessage();
  server.stop();
  return message;
}

async function asCompletion(answer: UpstreamAnswers) {
  const server = serveConverted({
    client: chatClient(),
    upstream: messagesUpstream,
    read: readChatRequest,
    upstreamId: 'claude-x',
    answers: [answer],
  });
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
  const completion =
    answer.stream === undefined
      ? await client.chat.completions.create(ask)
      : await client.chat.completions
          .stream({ ...ask, stream_options: { include_usage: true } })
          .finalChatCompletion();
  server.stop();
  return completion;
}

const chatStream = (chunks: readonly string[]) =>
  [...chunks, '[DONE]'].map((chunk) => `data: ${chunk}\n\n`).join('');
const messagesStream = (events: readonly string[]) =>
  events
    .map((event) => `event: ${asText(asObject(tryParseJson(event))?.['type'])}\ndata: ${event}\n\n`)
    .join('');

/** The deltas of a recorded chat stream, joined without the code under test. */
function saidInChunks(chunks: readonly unknown[]): Said {
  let text = '';
  const calls = new Map<unknown, { name: string; input: string }>();
  for (const chunk of chunks) {
    const delta = asObject(asObjects(asObject(chunk)?.['choices'])[0]?.['delta']) ?? {};
    const { content } = delta;
    if (typeof content === 'string') text += content;
    else for (const part of asObjects(content)) text += asText(part['text']) ?? '';
    for (const call of asObjects(delta['tool_calls'])) {
      const called = asObject(call['function']);
      const known = calls.get(call['index']) ?? { name: '', input: '' };
      known.name += asText(called?.['name']) ?? '';
      known.input += asText(called?.['arguments']) ?? '';
      calls.set(call['index'], known);
    }
  }
  return {
    text,
    calls: [...calls.values()].map(({ name, input }) => ({
      name,
      input: tryParseJson(input === '' ? '{}' : input),
    })),
  };
}

/** The same for the messages protocol. */
function saidInEvents(events: readonly unknown[]): Said {
  const blocks = new Map<unknown, { type: unknown; name: string; said: string }>();
  for (const event of events.filter(isJsonObject)) {
    const start = asObject(event['content_block']);
    if (start !== undefined) {
      const said = asText(start['text']) ?? '';
      blocks.set(event['index'], { type: start['type'], name: asText(start['name']) ?? '', said });
    }
    const block = blocks.get(event['index']);
    const delta = asObject(event['delta']) ?? {};
    if (block !== undefined) block.said += asText(delta['text']) ?? asText(delta['partial_json']) ?? '';
  }
  const all = [...blocks.values()];
  return {
    text: all.flatMap(({ type, said }) => (type === 'text' ? [said] : [])).join(''),
    calls: all.flatMap(({ type, name, said }) =>
      type === 'tool_use' ? [{ name, input: tryParseJson(said === '' ? '{}' : said) }] : [],
    ),
  };
}

const files = ['response', 'followup-response'];
const recorded = (protocol: 'anthropic' | 'chat-completions', suffix: string) =>
  recordedCases(protocol).flatMap((name) =>
    files.flatMap((file) => {
      const text = readRecording(name, protocol, `${file}${suffix}`);
      return text === null ? [] : [{ name, file, text }];
    }),
  );

const linesOf = (text: string): string[] => {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : [];
};

describe.skipIf(!hasRecordings)('recorded answers (the recordings are not here when this is skipped)', () => {
  test('are there', () => {
    expect(recorded('anthropic', '-streaming').length).toBeGreaterThan(10);
  });

  test.each(recorded('chat-completions', ''))(
    '$name $file: a chat completion as a message',
    async ({ text }) => {
      const completion = JSON.parse(text);
      const message = await asMessage({ whole: text });
      expect(saidByMessage(message)).toEqual(saidByCompletion(completion.choices[0]));
      const { input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
      expect(input_tokens + (cache_read_input_tokens ?? 0)).toBe(completion.usage.prompt_tokens);
      expect(output_tokens).toBe(completion.usage.completion_tokens);
    },
  );

  test.each(recorded('anthropic', ''))('$name $file: a message as a chat completion', async ({ text }) => {
    const message = JSON.parse(text);
    const completion = await asCompletion({ whole: text });
    expect(saidByCompletion(completion.choices[0])).toEqual(saidByMessage(message));
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } =
      message.usage;
    expect(completion.usage).toMatchObject({
      prompt_tokens: input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
      completion_tokens: output_tokens,
    });
  });

  test.each(recorded('chat-completions', '-streaming'))(
    '$name $file: a stream of chunks as events',
    async ({ text }) => {
      const message = await asMessage({ stream: chatStream(linesOf(text)) });
      expect(saidByMessage(message)).toEqual(saidInChunks(JSON.parse(text)));
    },
  );

  test.each(recorded('anthropic', '-streaming'))(
    '$name $file: a stream of events as chunks',
    async ({ text }) => {
      const completion = await asCompletion({ stream: messagesStream(linesOf(text)) });
      expect(saidByCompletion(completion.choices[0])).toEqual(saidInEvents(JSON.parse(text)));
    },
  );

  const chatHosts = ['mistral', 'deepseek/chat', 'openai-compatible/chat', 'perplexity', 'alibaba', 'xai'];
  test.each(chatHosts.flatMap(recordedStreams))('$name as events', async ({ lines }) => {
    const message = await asMessage({ stream: chatStream(lines) });
    expect(saidByMessage(message)).toEqual(saidInChunks(lines.map((line) => JSON.parse(line))));
  });

  /** A second start in the middle of an answer, which no client survives. */
  const broken = (name: string) => name.includes('spliced-message-start');
  test.each(recordedStreams('anthropic').filter(({ name }) => !broken(name)))(
    '$name as chunks',
    async ({ lines }) => {
      const completion = await asCompletion({ stream: messagesStream(lines) });
      expect(saidByCompletion(completion.choices[0])).toEqual(
        saidInEvents(lines.map((line) => JSON.parse(line))),
      );
    },
  );
});
