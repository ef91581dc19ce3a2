import { describe, expect, test } from 'bun:test';
import { FrameSplitter } from '../../base/sse.ts';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { converseUpstream } from '../converse/protocol.ts';
import { googleClient, googleUpstream } from '../google/protocol.ts';
import { readGoogleRequest } from '../google/request.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import type { UpstreamProtocol } from '../protocol.ts';
import { responsesUpstream } from '../responses/protocol.ts';
import { chatFrames, delta } from '../testing/frames.ts';
import { translate } from './translate.ts';

const longName = `mcp__tide_tables__${'read_the_height_of_the_water_'.repeat(3)}now`;
const otherName = `${longName}_and_then`;
const input_schema = { type: 'object', properties: {} };

const request = readMessagesRequest(
  JSON.stringify({
    model: 'm',
    max_tokens: 9,
    tools: [longName, otherName, 'look'].map((name) => ({ name, input_schema })),
    tool_choice: { type: 'tool', name: otherName },
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: longName, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '3 m' }] },
    ],
  }),
);

const toChat = translate({ client: messagesClient, upstream: chatUpstream() });

/** The names of the tools as the upstream is told them: long one, other one, short one. */
function namesAtChat(): readonly string[] {
  const written = JSON.parse(toChat.writeRequest(request, 'up'));
  return written.tools.map((tool: { function: { name: string } }) => tool.function.name);
}

describe.each<[string, UpstreamProtocol]>([
  ['chat completions', chatUpstream()],
  ['responses', responsesUpstream],
  ['generateContent', googleUpstream],
  ['Converse', converseUpstream()],
])('a long name of a tool towards %s', (_name, upstream) => {
  const body = translate({ client: messagesClient, upstream }).writeRequest(request, 'up');

  test('is cut to 64 characters wherever it stands', () => {
    const names: string[] = body.match(/mcp__\w+/g) ?? [];
    expect(body).not.toContain(longName);
    expect(names.map((name) => name.length)).toEqual(names.map(() => 64));
  });

  test('is the same in tools and calls, and another than one that begins as it does', () => {
    const names: string[] = body.match(/mcp__\w+/g) ?? [];
    expect(names.length).toBeGreaterThanOrEqual(4);
    expect(new Set(names).size).toBe(2);
  });
});

test('a long name stays where the upstream takes it', () => {
  const asked = readChatRequest(
    JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ type: 'function', function: { name: longName, parameters: input_schema } }],
    }),
  );
  expect(translate({ client: chatClient(), upstream: messagesUpstream }).writeRequest(asked, 'up')).toContain(
    `"${longName}"`,
  );
});

describe('an answer', () => {
  const call = (name: string) => ({ id: 'c', type: 'function', function: { name, arguments: '{}' } });

  test('has the whole names again, and others as they came', () => {
    const stranger = `${'x'.repeat(55)}_0123abcd`;
    const tool_calls = [...namesAtChat(), stranger].map(call);
    const body = JSON.stringify({
      id: 'c',
      choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }],
    });
    const { content } = JSON.parse(toChat.readAnswer(body, request).body);
    const names = content.map((block: { name: string }) => block.name);
    expect(names).toEqual([longName, otherName, 'look', stranger]);
  });

  test('has them in a stream too', () => {
    const [cut = ''] = namesAtChat();
    const stream = toChat.openStream(request);
    const frames = chatFrames(
      delta({ tool_calls: [{ index: 0, ...call(cut) }] }),
      delta({}, 'tool_calls'),
      '[DONE]',
    );
    const pushed = Buffer.from(stream.push(new FrameSplitter(100_000).push(Buffer.from(frames)))).toString();
    const written = pushed + Buffer.from(stream.end()).toString();
    expect(written).toContain(`"name":"${longName}"`);
    expect(written).not.toContain(cut);
  });
});

describe('a name that the upstream would refuse', () => {
  const asked = (name: string) =>
    readChatRequest(
      JSON.stringify({
        model: 'm',
        tools: [{ type: 'function', function: { name } }],
        messages: [{ role: 'user', content: 'hi' }],
      }),
    );

  test('begins with a digit towards Gemini, and is its own again in the answer', () => {
    const toGoogle = translate({ client: chatClient(), upstream: googleUpstream });
    const request = asked('7zip');
    const { tools } = JSON.parse(toGoogle.writeRequest(request, 'gemini-3-flash'));
    const { name } = tools[0].functionDeclarations[0];
    expect(name).toMatch(/^_7zip_[0-9a-f]{8}$/);
    const answer = JSON.stringify({
      candidates: [{ content: { parts: [{ functionCall: { name, args: {} } }] }, finishReason: 'STOP' }],
    });
    const { choices } = JSON.parse(toGoogle.readAnswer(answer, request).body);
    expect(choices[0].message.tool_calls[0].function.name).toBe('7zip');
    const elsewhere = translate({ client: chatClient(), upstream: messagesUpstream });
    expect(JSON.parse(elsewhere.writeRequest(request, 'm')).tools[0].name).toBe('7zip');
  });

  test('has points in it, as clients of Gemini may write them', () => {
    const toMessages = translate({ client: googleClient, upstream: messagesUpstream });
    const tools = [{ functionDeclarations: [{ name: 'house.look' }, { name: 'house_look' }] }];
    const text = JSON.stringify({ contents: [{ parts: [{ text: 'hi' }] }], tools });
    const written = toMessages.writeRequest(readGoogleRequest(text, { model: 'm', stream: false }), 'm');
    const names = JSON.parse(written).tools.map((tool: { name: string }) => tool.name);
    expect(names).toEqual([expect.stringMatching(/^house_look_[0-9a-f]{8}$/), 'house_look']);
  });
});
