/** Requests as coding agents write them: tools in groups, and tools of the vendor beside their own. */
import { describe, expect, test } from 'bun:test';
import { chatUpstream } from '../chat-completions/protocol.ts';
import { googleUpstream } from '../google/protocol.ts';
import { messagesUpstream } from '../messages/protocol.ts';
import { chatFrames, delta } from '../testing/frames.ts';
import { convert } from '../translate/convert.ts';
import { responsesClient } from './protocol.ts';
import { readResponsesRequest } from './request.ts';

const shell = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } };
const find = { type: 'function', name: 'find', parameters: { type: 'object', properties: {} } };
const group = { type: 'namespace', name: 'files', description: 'Files of the project', tools: [find] };
const search = { type: 'web_search', external_web_access: false };

const ask = (fields: object) =>
  readResponsesRequest(JSON.stringify({ model: 'm', input: 'Where is it?', ...fields }));

describe('a request of an agent', () => {
  const upstreams = [
    ['chat completions', chatUpstream()],
    ['messages', messagesUpstream],
    ['google', googleUpstream],
  ] as const;

  test.each(upstreams)(
    'goes to %s with grouped tools under joined names and without hosted ones',
    (_, upstream) => {
      const { writeRequest } = convert({ client: responsesClient(), upstream });
      const written = writeRequest(ask({ tools: [search, shell, group] }), 'model-x');
      expect(written).toContain('"shell"');
      expect(written).toContain('"files__find"');
      expect(written).not.toContain('web_search');
    },
  );

  test.each(upstreams)(
    'is refused by %s when the hosted tool is all there is, or is to be used',
    (_, upstream) => {
      const { writeRequest } = convert({ client: responsesClient(), upstream });
      expect(() => writeRequest(ask({ tools: [search] }), 'model-x')).toThrow('web_search');
      const forced = ask({ tools: [search, shell], tool_choice: { type: 'web_search' } });
      expect(() => writeRequest(forced, 'model-x')).toThrow('tool_choice');
    },
  );

  test('finds its calls again in history and choice, and passes over searches for tools', () => {
    const { writeRequest } = convert({ client: responsesClient(), upstream: chatUpstream() });
    const input = [
      { role: 'user', content: 'Where is it?' },
      { type: 'tool_search_call', call_id: 's1', arguments: {} },
      { type: 'tool_search_output', call_id: 's1', tools: [] },
      { type: 'function_call', call_id: 'c1', namespace: 'files', name: 'find', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'here' },
    ];
    const tool_choice = { type: 'function', namespace: 'files', name: 'find' };
    const written = JSON.parse(writeRequest(ask({ tools: [group], input, tool_choice }), 'model-x'));
    expect(written.messages[1].tool_calls[0].function.name).toBe('files__find');
    expect(written.tool_choice.function.name).toBe('files__find');
  });
});

describe('a call of a grouped tool comes back with its group', () => {
  const { readAnswer, openStream } = convert({ client: responsesClient(), upstream: chatUpstream() });
  const request = ask({ tools: [group, shell] });
  const calls = ['files__find', 'shell'].map((name, index) => ({
    index,
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: '{}' },
  }));
  const expected = [
    { type: 'function_call', namespace: 'files', name: 'find', call_id: 'c0' },
    { type: 'function_call', name: 'shell', call_id: 'c1' },
  ];

  test('in a whole answer', () => {
    const message = { role: 'assistant', content: null, tool_calls: calls };
    const whole = { id: 'x', model: 'm', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
    const { output } = JSON.parse(readAnswer(JSON.stringify(whole), request).body);
    expect(output).toMatchObject(expected);
    expect(output[1]).not.toHaveProperty('namespace');
  });

  test('in a stream', () => {
    const stream = openStream({ ...request, stream: true });
    const frames = chatFrames(delta({ tool_calls: calls }), delta({}, 'tool_calls'), '[DONE]');
    const out =
      Buffer.from(stream.push(Buffer.from(frames))).toString() + Buffer.from(stream.end()).toString();
    const completed = out
      .split('\n')
      .findLast((line) => line.includes('"response.completed"') && line.startsWith('data:'));
    expect(JSON.parse(completed?.slice(6) ?? '').response.output).toMatchObject(expected);
  });
});
