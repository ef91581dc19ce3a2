import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { asObject, asObjects, asText, isJsonObject, tryParseJson } from '../json/fields.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import { hasRecordings, readRecording, recordedCases, recordedStreams } from '../testing/recordings.ts';
import type { TurnRequest } from '../turn/request.ts';
import { googleClient, googleUpstream } from './protocol.ts';
import { readGoogleRequest } from './request.ts';

const ask = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };

/** What was said and counted, in a shape that neither conversion nor client had a hand in. */
interface Said {
  text: string;
  thought: string;
  calls: { name: string; args: unknown }[];
  input: number;
  output: number;
}

function saidInPieces(pieces: readonly unknown[]): Said {
  const said: Said = { text: '', thought: '', calls: [], input: 0, output: 0 };
  for (const piece of pieces) {
    const body = asObject(piece) ?? {};
    for (const part of asObjects(asObject(asObjects(body['candidates'])[0]?.['content'])?.['parts'])) {
      const call = asObject(part['functionCall']);
      if (part['thought'] === true) said.thought += asText(part['text']) ?? '';
      else said.text += asText(part['text']) ?? '';
      if (call !== undefined) said.calls.push({ name: asText(call['name']) ?? '', args: call['args'] ?? {} });
    }
    const usage = asObject(body['usageMetadata']) ?? {};
    const count = (name: string) => Number(usage[name] ?? 0);
    said.input = count('promptTokenCount') + count('toolUsePromptTokenCount');
    said.output = count('candidatesTokenCount') + count('thoughtsTokenCount');
  }
  return said;
}

async function asMessage(answer: UpstreamAnswers): Promise<Said> {
  const server = serveConverted({
    client: messagesClient,
    upstream: googleUpstream,
    read: readMessagesRequest,
    upstreamId: 'gemini-x',
    answers: [answer],
  });
  const client = new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0 });
  const { content, usage } =
    answer.stream === undefined
      ? await client.messages.create(ask)
      : await client.messages.stream(ask).finalMessage();
  server.stop();
  return {
    text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    thought: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, args: block.input }] : [],
    ),
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
    output: usage.output_tokens,
  };
}

async function asCompletion(answer: UpstreamAnswers): Promise<Said> {
  const server = serveConverted({
    client: chatClient(),
    upstream: googleUpstream,
    read: readChatRequest,
    upstreamId: 'gemini-x',
    answers: [answer],
  });
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
  // The client's own collector keeps only the last piece of a field that it does not know.
  let thought = '';
  const stream = () =>
    client.chat.completions
      .stream({ ...ask, stream_options: { include_usage: true } })
      .on('chunk', (chunk) => {
        thought += reasoningIn(chunk.choices[0]?.delta);
      })
      .finalChatCompletion();
  const { choices, usage } =
    answer.stream === undefined ? await client.chat.completions.create(ask) : await stream();
  server.stop();
  const message = choices[0]?.message;
  return {
    text: message?.content ?? '',
    thought: answer.stream === undefined ? reasoningIn(message) : thought,
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, args: tryParseJson(call.function.arguments) }]
        : [],
    ),
    input: usage?.prompt_tokens ?? 0,
    output: usage?.completion_tokens ?? 0,
  };
}

const reasoningIn = (from: object | undefined): string =>
  from === undefined ? '' : (asText(Reflect.get(from, 'reasoning_content')) ?? '');

const piecesOf = (text: string): readonly unknown[] => {
  const json: unknown = JSON.parse(text);
  return Array.isArray(json) ? json : [json];
};
const streamOf = (pieces: readonly unknown[]): string =>
  pieces.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join('');

const files = ['response', 'followup-response'];
const recorded = (suffix: string) =>
  recordedCases('google').flatMap((name) =>
    files.flatMap((file) => {
      const text = readRecording(name, 'google', `${file}${suffix}`);
      return text === null ? [] : [{ name, file, text }];
    }),
  );
/** Arguments in pieces, which only Vertex AI sends, and only to whom asks for them. */
const inPieces = (lines: readonly string[]) => lines.some((line) => line.includes('"willContinue"'));

describe.skipIf(!hasRecordings)('recorded generateContent answers (skipped without the recordings)', () => {
  test('are there', () => {
    expect(recorded('-streaming').length).toBeGreaterThan(20);
  });

  test.each(recorded(''))('$name $file: whole', async ({ text }) => {
    const said = saidInPieces(piecesOf(text));
    expect(await asMessage({ whole: text })).toEqual(said);
    expect(await asCompletion({ whole: text })).toEqual(said);
  });

  test.each(recorded('-streaming'))('$name $file: streamed', async ({ text }) => {
    const pieces = piecesOf(text);
    const said = saidInPieces(pieces);
    expect(await asMessage({ stream: streamOf(pieces) })).toEqual(said);
    expect(await asCompletion({ stream: streamOf(pieces) })).toEqual(said);
  });

  test.each(recordedStreams('google').filter(({ lines }) => !inPieces(lines)))('$name', async ({ lines }) => {
    const pieces = lines.map((line): unknown => JSON.parse(line));
    const said = saidInPieces(pieces);
    expect(await asMessage({ stream: streamOf(pieces) })).toEqual(said);
    expect(await asCompletion({ stream: streamOf(pieces) })).toEqual(said);
  });
});

const others = {
  anthropic: { client: messagesClient, upstream: messagesUpstream, model: 'claude-opus-4-6' },
  'chat-completions': { client: chatClient(), upstream: chatUpstream(), model: 'gpt-x' },
} as const;
type Other = keyof typeof others;
const names = ['anthropic', 'chat-completions'] as const satisfies readonly Other[];

/** Asks for tools that each vendor runs itself, which no conversion can make equal. */
const unlike = new Set(['codeInterpreterToolParam']);
/** What the two recordings of a case were not asked alike. */
const askedDifferently: Readonly<Record<string, keyof ReturnType<typeof outline>>> = {
  jsonSchemaMinimumMaximumParam: 'temperature',
};

function parse(text: string): Record<string, unknown> {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('a request that is no JSON object');
  return json;
}

function read(name: string, protocol: Other | 'google', file = 'request'): string {
  const text = readRecording(name, protocol, file);
  if (text === null) throw new Error('the recording has no request');
  return text;
}

/** A request without what differs between any two recordings, and without how much to think, which each asks its way. */
function outline(turn: TurnRequest) {
  const all = turn.messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const format = turn.responseFormat;
  return {
    system: turn.system.map(({ text }) => text),
    blocks: all.map(({ role, block }) => `${role} ${block.type}`),
    texts: all.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])),
    tools: turn.tools.map((tool) =>
      tool.kind === 'function'
        ? [tool.name, tool.description, tool.schema['type'], Object.keys(tool.schema['properties'] ?? {})]
        : tool.kind,
    ),
    toolChoice: turn.toolChoice,
    format: format?.type === 'json_schema' ? Object.keys(format.schema['properties'] ?? {}) : format?.type,
    temperature: turn.sampling.temperature,
  };
}

function comparable(name: string, turn: TurnRequest): object {
  const differing = askedDifferently[name];
  return Object.fromEntries(Object.entries(outline(turn)).filter(([part]) => part !== differing));
}

const toGoogle = (turn: TurnRequest): TurnRequest =>
  googleClient.readRequest(parse(googleUpstream.writeRequest(turn, { id: 'gemini-2.5-flash' })));

const pairs = names.flatMap((other) =>
  recordedCases('google', other)
    .filter((name) => !unlike.has(name))
    .map((name) => ({ name, other })),
);
const all = recordedCases('google').flatMap((name) =>
  ['request', 'followup-request'].flatMap((file) => {
    const text = readRecording(name, 'google', file);
    return text === null ? [] : [{ name, file, text }];
  }),
);

describe.skipIf(!hasRecordings)('recorded generateContent requests (skipped without the recordings)', () => {
  test('are there', () => {
    expect(all.length).toBeGreaterThan(30);
    expect(pairs.length).toBeGreaterThan(12);
  });

  test.each(pairs)(
    '$name: what was recorded for $other becomes what was recorded here',
    ({ name, other }) => {
      const converted = toGoogle(others[other].client.readRequest(parse(read(name, other))));
      const recorded = googleClient.readRequest(parse(read(name, 'google')));
      expect(comparable(name, converted)).toEqual(comparable(name, recorded));
    },
  );

  test.each(pairs)(
    '$name: what was recorded here becomes what was recorded for $other',
    ({ name, other }) => {
      const { client, upstream, model } = others[other];
      const turn = googleClient.readRequest(parse(read(name, 'google')));
      const converted = client.readRequest(parse(upstream.writeRequest(turn, { id: model })));
      expect(comparable(name, converted)).toEqual(
        comparable(name, client.readRequest(parse(read(name, other)))),
      );
    },
  );

  test.each(all)('$name $file: passes the check, and is the same after another writing', ({ text }) => {
    expect(() => readGoogleRequest(text, { model: 'm', stream: false })).not.toThrow();
    const turn = googleClient.readRequest(parse(text));
    expect(outline(toGoogle(turn))).toEqual(outline(turn));
  });
});
