import { describe, expect, test } from 'bun:test';
import { asObject, asObjects } from '../json/fields.ts';
import { chatFrames, delta } from '../testing/frames.ts';
import { translate } from '../translate/translate.ts';
import { hostDialect } from './dialect.ts';
import { chatClient, chatUpstream } from './protocol.ts';
import { readChatRequest } from './request.ts';

const host = translate({ client: chatClient(), upstream: chatUpstream(hostDialect) });
const user = { role: 'user', content: 'hi' };
const patch = { type: 'custom', custom: { name: 'patch', description: 'Patches.' } };

function requestOf(fields: object) {
  return readChatRequest(JSON.stringify({ model: 'm', messages: [user], ...fields }));
}

function written(fields: object): Record<string, unknown> {
  return JSON.parse(host.writeRequest(requestOf(fields), 'up'));
}

const call = {
  id: 'c',
  type: 'function',
  function: { name: 'patch', arguments: '{"input":"a\\nb"}' },
};

describe('a host without free-text tools, asked in its own protocol', () => {
  test('gets a function in the place of such a tool', () => {
    expect(written({ tools: [patch] })).toMatchObject({
      model: 'up',
      tools: [{ type: 'function', function: { name: 'patch', parameters: { required: ['input'] } } }],
    });
  });

  test('gets a function’s call in the place of an earlier one, also when no tools are left', () => {
    const used = { id: 'c', type: 'custom', custom: { name: 'patch', input: 'a\nb' } };
    const messages = [
      user,
      { role: 'assistant', content: null, tool_calls: [used] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ];
    expect(asObjects(written({ messages })['messages'])[1]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [call],
    });
  });

  test('answers with free text, whole and streamed', () => {
    const request = requestOf({ tools: [patch], stream: true });
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const whole = { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
    const answer: unknown = JSON.parse(host.readAnswer(JSON.stringify(whole), request).body);
    const [choice] = asObjects(asObject(answer)?.['choices']);
    expect(choice).toMatchObject({
      message: { tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch', input: 'a\nb' } }] },
    });
    const stream = host.openStream(request);
    const frames = chatFrames(
      delta({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] }),
      delta({}, 'tool_calls'),
      '[DONE]',
    );
    const out = Buffer.from(stream.push(Buffer.from(frames))).toString();
    expect(out).toContain('"custom":{"input":"a\\nb"}');
    expect(out).not.toContain('"function"');
  });

  test('gets every other request byte for byte', () => {
    const text =
      '{ "model": "m", "messages": [{"role":"user","content":"hi"}], "tools": [], "big": 12345678901234567890 }';
    expect(host.writeRequest(readChatRequest(text), 'up')).toBe(text.replace('"m"', '"up"'));
  });
});
