/** Free-text tools of the OpenAI client over upstreams that have none: there and back over two turns. */

import { afterEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { hostDialect } from '../../chat-completions/dialect.ts';
import { chatClient, chatUpstream } from '../../chat-completions/protocol.ts';
import { readChatRequest } from '../../chat-completions/request.ts';
import { converseUpstream } from '../../converse/protocol.ts';
import { converseClient } from '../../converse/testing/client.ts';
import { googleClient, googleUpstream } from '../../google/protocol.ts';
import { messagesClient, messagesUpstream } from '../../messages/protocol.ts';
import type { ClientProtocol, UpstreamProtocol } from '../../protocol.ts';
import { responsesClient } from '../../responses/protocol.ts';
import { readResponsesRequest } from '../../responses/request.ts';
import {
  type ConvertedServer,
  serveConverted,
  type UpstreamAnswers,
} from '../../testing/converted-server.ts';
import type { InferenceRequest } from '../../translator.ts';
import type { TurnAnswer } from '../answer.ts';
import { eventsOf } from '../testing/arbitrary-answer.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

const patch = '*** Begin Patch\n+ say "hi" to \\ the 🦥\n*** End Patch';
const description = 'Applies a patch.';
const told = `${description}\n\nThe input must match this Lark grammar:\nstart: "a"`;
const schema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
};

interface Host {
  readonly upstream: UpstreamProtocol;
  readonly upstreamId: string;
  /** Writes what the host answers. */
  readonly voice: ClientProtocol;
  /** The first request as the host must get it: the tool, and that it must be used. */
  readonly asked: object;
  /** The second one: the call of the first, replayed. */
  readonly replayed: object;
}

const hosts: readonly Host[] = [
  {
    upstream: messagesUpstream,
    upstreamId: 'claude-opus-4-6',
    voice: messagesClient,
    asked: {
      tools: [{ name: 'apply_patch', description: told, input_schema: schema }],
      tool_choice: { type: 'tool', name: 'apply_patch' },
    },
    replayed: { messages: [{}, { content: [{ type: 'tool_use', input: { input: patch } }] }, {}] },
  },
  {
    upstream: googleUpstream,
    upstreamId: 'gemini-2.5-flash',
    voice: googleClient,
    asked: {
      tools: [
        {
          functionDeclarations: [{ name: 'apply_patch', description: told, parametersJsonSchema: schema }],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['apply_patch'] } },
    },
    replayed: { contents: [{}, { parts: [{ functionCall: { args: { input: patch } } }] }, {}] },
  },
  {
    upstream: converseUpstream(),
    upstreamId: 'amazon.nova-pro-v1:0',
    voice: converseClient,
    asked: {
      toolConfig: {
        tools: [{ toolSpec: { name: 'apply_patch', description: told, inputSchema: { json: schema } } }],
        toolChoice: { tool: { name: 'apply_patch' } },
      },
    },
    replayed: { messages: [{}, { content: [{ toolUse: { input: { input: patch } } }] }, {}] },
  },
  {
    upstream: chatUpstream(hostDialect),
    upstreamId: 'm',
    voice: chatClient(),
    asked: {
      tools: [{ type: 'function', function: { name: 'apply_patch', description: told, parameters: schema } }],
      tool_choice: { type: 'function', function: { name: 'apply_patch' } },
    },
    replayed: {
      messages: [
        {},
        { tool_calls: [{ type: 'function', function: { arguments: JSON.stringify({ input: patch }) } }] },
        {},
      ],
    },
  },
];

const called: TurnAnswer = {
  id: 'a-1',
  model: 'm',
  createdS: 5,
  choices: [
    {
      content: [
        { type: 'text', text: 'Now.' },
        { type: 'tool_use', id: 'call_1', name: 'apply_patch', input: JSON.stringify({ input: patch }) },
      ],
      stop: { reason: 'tool_use' },
    },
  ],
  usage: null,
};
const plain: InferenceRequest = {
  text: '{}',
  json: {},
  model: 'm',
  stream: true,
  wantsStreamUsage: false,
};

function answerOf(voice: ClientProtocol): UpstreamAnswers {
  const writer = voice.openWriter(plain);
  const events = eventsOf(called, { maxPiece: 3, interleaved: false, counts: 'last' });
  return {
    whole: voice.writeAnswer(called, plain),
    stream: events.map((event) => writer.write(event)).join(''),
  };
}

const cases = hosts.flatMap((host) => [
  { name: `${host.upstream.name}, whole`, host, stream: false },
  { name: `${host.upstream.name}, streamed`, host, stream: true },
]);

function serve(
  { upstream, upstreamId, voice }: Host,
  from: { client: ClientProtocol; read: (text: string) => InferenceRequest },
): OpenAI {
  server = serveConverted({ ...from, upstream, upstreamId, answers: [answerOf(voice)] });
  return new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
}

describe('the Responses client', () => {
  const tool: OpenAI.Responses.CustomTool = {
    type: 'custom',
    name: 'apply_patch',
    description,
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  };
  const tool_choice: OpenAI.Responses.ToolChoiceCustom = { type: 'custom', name: 'apply_patch' };
  const fields = { model: 'm', tools: [tool], tool_choice };

  test.each(cases)('uses a free-text tool over $name', async ({ host, stream }) => {
    const client = serve(host, { client: responsesClient(), read: readResponsesRequest });
    const ask = (input: OpenAI.Responses.ResponseInput) =>
      stream
        ? client.responses.stream({ ...fields, input }).finalResponse()
        : client.responses.create({ ...fields, input });
    const first = await ask([{ role: 'user', content: 'go' }]);
    const call = first.output.find(({ type }) => type === 'custom_tool_call');
    expect(call).toMatchObject({ call_id: 'call_1', name: 'apply_patch', input: patch });
    if (call?.type !== 'custom_tool_call') throw new Error('no call');
    await ask([
      { role: 'user', content: 'go' },
      call,
      { type: 'custom_tool_call_output', call_id: call.call_id, output: 'Done!' },
    ]);
    expect(server?.sent[0]).toMatchObject(host.asked);
    expect(server?.sent[1]).toMatchObject(host.replayed);
  });
});

describe('the chat completions client', () => {
  const tool: OpenAI.ChatCompletionCustomTool = {
    type: 'custom',
    custom: {
      name: 'apply_patch',
      description,
      format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
    },
  };
  const tool_choice: OpenAI.ChatCompletionNamedToolChoiceCustom = {
    type: 'custom',
    custom: { name: 'apply_patch' },
  };
  const fields = { model: 'm', tools: [tool], tool_choice };

  async function ask(client: OpenAI, messages: OpenAI.ChatCompletionMessageParam[], stream: boolean) {
    if (!stream) {
      const { choices } = await client.chat.completions.create({ ...fields, messages });
      return choices[0]?.message.tool_calls?.[0];
    }
    const call = { id: '', type: '', custom: { name: '', input: '' } };
    for await (const chunk of await client.chat.completions.create({ ...fields, messages, stream: true })) {
      for (const delta of chunk.choices[0]?.delta.tool_calls ?? []) {
        const { id = '', type = '', custom } = { custom: undefined, ...delta };
        call.id += id;
        call.type += type;
        call.custom.name += custom?.['name'] ?? '';
        call.custom.input += custom?.['input'] ?? '';
      }
    }
    return call;
  }

  test.each(cases)('uses a free-text tool over $name', async ({ host, stream }) => {
    const client = serve(host, { client: chatClient(), read: readChatRequest });
    const call = await ask(client, [{ role: 'user', content: 'go' }], stream);
    const expected = {
      id: 'call_1',
      type: 'custom' as const,
      custom: { name: 'apply_patch', input: patch },
    };
    expect(call).toEqual(expected);
    await ask(
      client,
      [
        { role: 'user', content: 'go' },
        { role: 'assistant', tool_calls: [expected] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Done!' },
      ],
      stream,
    );
    expect(server?.sent[0]).toMatchObject(host.asked);
    expect(server?.sent[1]).toMatchObject(host.replayed);
  });
});
