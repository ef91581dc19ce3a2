import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { AppError } from '../../base/errors.ts';
import { FrameSplitter } from '../../base/sse.ts';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { asObject, asObjects, asText, isJsonObject, tryParseJson } from '../json/fields.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import type { UpstreamProtocol } from '../protocol.ts';
import { serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import {
  hasRecordings,
  type RecordedProtocol,
  readRecording,
  recordedCases,
  recordedStreams,
} from '../testing/recordings.ts';
import type { TurnRequest } from '../turn/request.ts';
import { responsesPassthrough } from './passthrough.ts';
import { responsesClient, responsesUpstream } from './protocol.ts';
import { readResponsesRequest } from './request.ts';

/** What was said, in a shape that neither conversion nor client had a hand in. */
interface Said {
  text: string;
  calls: { name: string; input: unknown }[];
}

function saidInOutput(output: unknown): Said {
  const said: Said = { text: '', calls: [] };
  for (const item of asObjects(output)) {
    const name = asText(item['name']) ?? '';
    if (item['type'] === 'message') {
      for (const part of asObjects(item['content'])) said.text += asText(part['text']) ?? '';
    } else if (item['type'] === 'function_call') {
      said.calls.push({ name, input: tryParseJson(asText(item['arguments']) ?? '') });
    } else if (item['type'] === 'custom_tool_call') said.calls.push({ name, input: item['input'] });
  }
  return said;
}

function saidInMessage(content: unknown): Said {
  const said: Said = { text: '', calls: [] };
  for (const block of asObjects(content)) {
    if (block['type'] === 'text') said.text += asText(block['text']) ?? '';
    if (block['type'] === 'tool_use') {
      said.calls.push({ name: asText(block['name']) ?? '', input: block['input'] });
    }
  }
  return said;
}

function saidInCompletion(completion: unknown): Said {
  const message = asObject(asObjects(asObject(completion)?.['choices'])[0]?.['message']) ?? {};
  const calls = asObjects(message['tool_calls']).map((call) => {
    const called = asObject(call['function']);
    return { name: asText(called?.['name']) ?? '', input: tryParseJson(asText(called?.['arguments']) ?? '') };
  });
  return { text: asText(message['content']) ?? '', calls };
}

const ask = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };

async function asMessage(answer: UpstreamAnswers): Promise<Anthropic.Message> {
  const server = serveConverted({
    client: messagesClient,
    upstream: responsesUpstream,
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

async function asResponse(upstream: UpstreamProtocol, answer: UpstreamAnswers) {
  const server = serveConverted({
    client: responsesClient(),
    upstream,
    read: readResponsesRequest,
    upstreamId: 'x',
    answers: [answer],
  });
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
  const asked = { model: 'm', input: 'hi' };
  const response =
    answer.stream === undefined
      ? await client.responses.create(asked)
      : await client.responses.stream(asked).finalResponse();
  server.stop();
  return response;
}

const files = ['response', 'followup-response'];
const recorded = (protocol: RecordedProtocol, suffix: string) =>
  recordedCases(protocol).flatMap((name) =>
    files.flatMap((file) => {
      const text = readRecording(name, protocol, `${file}${suffix}`);
      return text === null ? [] : [{ name, file, text }];
    }),
  );

function eventsOf(text: string): readonly Record<string, unknown>[] {
  const json: unknown = JSON.parse(text);
  return Array.isArray(json) ? json.filter(isJsonObject) : [];
}

const streamOf = (events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const isEnd = (event: object): boolean =>
  'type' in event && (event.type === 'response.completed' || event.type === 'response.incomplete');
const lastResponse = (events: readonly Record<string, unknown>[]) =>
  asObject(events.findLast(isEnd)?.['response']) ?? {};

/** Items as they ended, since the last response of some recordings leaves some out. */
const doneItems = (events: readonly Record<string, unknown>[]) =>
  events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []));

const streams = ['openai/responses', 'xai/responses']
  .flatMap(recordedStreams)
  .map(({ name, lines }) => ({ name, events: lines.map((line) => JSON.parse(line)) }))
  .concat(
    recorded('responses', '-streaming').map(({ name, file, text }) => ({
      name: `${name} ${file}`,
      events: [...eventsOf(text)],
    })),
  );

describe.skipIf(!hasRecordings)('recorded responses (skipped without the recordings)', () => {
  test('are there', () => {
    expect(streams.length).toBeGreaterThan(40);
  });

  /** The client of messages parses input, which free text is not. */
  const hasFreeText = (text: string) => text.includes('"custom_tool_call"');
  const wholes = recorded('responses', '').filter(({ text }) => !hasFreeText(text));

  test.each(wholes)('$name $file: a response as a message', async ({ text }) => {
    const { output, usage } = JSON.parse(text);
    const message = await asMessage({ whole: text });
    expect(saidInMessage(message.content)).toEqual(saidInOutput(output));
    expect(message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0)).toBe(
      usage.input_tokens,
    );
    expect(message.usage.output_tokens).toBe(usage.output_tokens);
  });

  test.each(streams.filter(({ events }) => events.some(isEnd) && !hasFreeText(JSON.stringify(events))))(
    '$name: a stream as a message',
    async ({ events }) => {
      const message = await asMessage({ stream: streamOf(events) });
      expect(saidInMessage(message.content)).toEqual(saidInOutput(doneItems(events)));
    },
  );

  test.each(streams)(
    '$name: a stream passes byte for byte; its end and its counts are read',
    ({ events }) => {
      const stream = responsesPassthrough.openStream(
        readResponsesRequest('{"model":"m","input":"hi","stream":true}'),
      );
      const splitter = new FrameSplitter(10_000_000);
      const bytes = Buffer.from(streamOf(events));
      const out: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += 1000) {
        out.push(Buffer.from(stream.push(splitter.push(bytes.subarray(at, at + 1000)))));
      }
      if (!events.some(isEnd)) {
        expect(stream.isComplete).toBe(false);
        return;
      }
      expect(Buffer.concat(out).equals(bytes)).toBe(true);
      expect(stream).toMatchObject({ hasContent: true, isComplete: true, complaint: null });
      const usage = asObject(lastResponse(events)['usage']);
      expect<unknown>(stream.usage?.outputTokens).toBe(usage?.['output_tokens']);
    },
  );

  test('a stream that fails is a complaint', () => {
    const failing = streams.filter(({ events }) => !events.some(isEnd));
    expect(failing.length).toBeGreaterThan(0);
    for (const { events } of failing) {
      const reader = responsesUpstream.openReader();
      for (const event of events) reader.read(JSON.stringify(event), []);
      expect(reader.complaint).not.toBeNull();
    }
  });
});

describe.skipIf(!hasRecordings)(
  'recorded answers of others as responses (skipped without the recordings)',
  () => {
    test.each(recorded('chat-completions', ''))('$name $file: a chat completion', async ({ text }) => {
      const completion = JSON.parse(text);
      const response = await asResponse(chatUpstream(), { whole: text });
      expect(saidInOutput(response.output)).toEqual(saidInCompletion(completion));
      expect(response.usage).toMatchObject({
        input_tokens: completion.usage.prompt_tokens,
        output_tokens: completion.usage.completion_tokens,
      });
    });

    test.each(recorded('anthropic', ''))('$name $file: a message', async ({ text }) => {
      const response = await asResponse(messagesUpstream, { whole: text });
      expect(saidInOutput(response.output)).toEqual(saidInMessage(JSON.parse(text).content));
    });

    test.each(recorded('chat-completions', '-streaming'))(
      '$name $file: a stream of chunks',
      async ({ text }) => {
        const stream = `${streamOf(eventsOf(text))}data: [DONE]\n\n`;
        const { output } = await asResponse(chatUpstream(), { stream });
        const deltas = eventsOf(text).map(
          (chunk) => asObject(asObjects(chunk['choices'])[0]?.['delta']) ?? {},
        );
        const names = deltas
          .flatMap((delta) => asObjects(delta['tool_calls']))
          .flatMap((call) => asText(asObject(call['function'])?.['name']) ?? []);
        expect(saidInOutput(output).text).toBe(
          deltas.map((delta) => asText(delta['content']) ?? '').join(''),
        );
        expect(saidInOutput(output).calls.map(({ name }) => name)).toEqual(names);
      },
    );

    test.each(recorded('anthropic', '-streaming'))('$name $file: a stream of events', async ({ text }) => {
      const { output } = await asResponse(messagesUpstream, { stream: streamOf(eventsOf(text)) });
      let said = '';
      let isApart = false;
      for (const event of eventsOf(text)) {
        const type = asObject(event['content_block'])?.['type'];
        if (type === 'server_tool_use') isApart = said !== '';
        const piece = asText(asObject(event['delta'])?.['text']) ?? '';
        if (piece !== '' && isApart) said += '\n\n';
        if (piece !== '') isApart = false;
        said += piece;
      }
      expect(saidInOutput(output).text).toBe(said);
    });
  },
);

describe.skipIf(!hasRecordings)('recorded requests (skipped without the recordings)', () => {
  const client = responsesClient();
  const parse = (text: string) => asObject(JSON.parse(text)) ?? {};
  /** Without the words, in which many recordings differ, and without how much to think. */
  const outline = (turn: TurnRequest) => ({
    system: turn.system.length,
    blocks: turn.messages.flatMap(({ role, content }) => content.map(({ type }) => `${role} ${type}`)),
    tools: turn.tools.map((tool) => ('name' in tool ? tool.name : tool.type)),
    toolChoice: turn.toolChoice,
    format: turn.responseFormat?.type,
  });
  const requests = recordedCases('responses').flatMap((name) =>
    ['request', 'followup-request'].flatMap((file) => {
      const text = readRecording(name, 'responses', file);
      return text === null ? [] : [{ name, file, text }];
    }),
  );
  /** Asked with tools, or results of them, that only the vendor has. */
  const vendorOnly = new Set(['codeInterpreterToolParam', 'responsesToolSearchInputParam']);

  test.each(requests)(
    '$name $file passes the check, and can be asked elsewhere or is refused',
    ({ name, text }) => {
      expect(readResponsesRequest(text).model).toBeString();
      const convert = () =>
        [chatUpstream(), messagesUpstream].map((upstream) =>
          upstream.writeRequest(client.readRequest(parse(text)), { id: 'm' }),
        );
      if (vendorOnly.has(name)) expect(convert).toThrow(AppError);
      else if (!text.includes('"file_url"') && !text.includes('"custom"')) expect(convert()).toHaveLength(2);
    },
  );

  test.each(recordedCases('responses', 'chat-completions').filter((name) => !vendorOnly.has(name)))(
    '%s: what was recorded for chat completions becomes what was recorded for responses, and the other way',
    (name) => {
      const own = client.readRequest(parse(readRecording(name, 'responses', 'request') ?? ''));
      const chat = chatClient().readRequest(parse(readRecording(name, 'chat-completions', 'request') ?? ''));
      const toOwn = client.readRequest(parse(responsesUpstream.writeRequest(chat, { id: 'gpt-5' })));
      const toChat = chatClient().readRequest(parse(chatUpstream().writeRequest(own, { id: 'gpt-5' })));
      expect(outline(toOwn)).toEqual(outline(own));
      expect(outline(toChat)).toEqual(outline(chat));
    },
  );
});
