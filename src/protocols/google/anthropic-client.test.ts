import { afterEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { messagesClient } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { type ConvertedServer, serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import { googleUpstream } from './protocol.ts';
import { call, counts, piece, streamOf } from './testing/pieces.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

function serve(upstreamId: string, ...answers: readonly UpstreamAnswers[]): Anthropic {
  server = serveConverted({
    client: messagesClient,
    upstream: googleUpstream,
    read: readMessagesRequest,
    upstreamId,
    answers,
  });
  return new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0 });
}

const question = { role: 'user', content: 'hi' } as const;
const ask: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'm',
  max_tokens: 100,
  messages: [question],
};
const tools: Anthropic.Tool[] = [
  { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
  { name: 'now', input_schema: { type: 'object', properties: {} } },
];
const done = { whole: JSON.stringify(piece([{ text: 'done' }], 'STOP', counts)) };

describe('the Anthropic client over a generateContent upstream', () => {
  test('collects text, with cached tokens counted once and thoughts inside the output', async () => {
    const client = serve('gemini-2.5-flash', {
      stream: streamOf(
        piece([{ text: 'Grüß ' }], undefined, { promptTokenCount: 50 }),
        piece([{ text: 'dich 🦥' }]),
        piece([{ text: '' }], 'STOP', counts),
      ),
    });
    const message = await client.messages.stream(ask).finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'Grüß dich 🦥' }]);
    expect(message).toMatchObject({ id: 'msg_1', model: 'gemini-x', stop_reason: 'end_turn' });
    expect(message.usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 40,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    });
  });

  test('uses tools in parallel over two turns; calls without ids get some, answers find their names', async () => {
    const client = serve(
      'gemini-3-flash-preview',
      {
        stream: streamOf(
          piece([{ text: 'Wait.' }]),
          piece([call('weather', { city: 'Bonn' }, 'c2lnbmVk'), call('weather', { city: 'Rome' })]),
          piece([call('now')], 'STOP', counts),
        ),
      },
      done,
    );
    const first = await client.messages.stream({ ...ask, tools }).finalMessage();
    expect(first.stop_reason).toBe('tool_use');
    const calls = first.content.filter((block) => block.type === 'tool_use');
    expect(calls).toMatchObject([
      { name: 'weather', input: { city: 'Bonn' } },
      { name: 'weather', input: { city: 'Rome' } },
      { name: 'now', input: {} },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    const results = calls.map(({ id }, at) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: `result ${at}`,
      is_error: at === 2,
    }));
    await client.messages.create({
      ...ask,
      tools,
      messages: [
        question,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [...results, { type: 'text', text: 'go on' }] },
      ],
    });
    const [bonn, rome, now] = calls.map(({ id }) => id);
    expect(server?.sent[1]?.['contents']).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'Wait.' },
          {
            functionCall: { id: bonn, name: 'weather', args: { city: 'Bonn' } },
            thoughtSignature: 'c2lnbmVk',
          },
          { functionCall: { id: rome, name: 'weather', args: { city: 'Rome' } } },
          { functionCall: { id: now, name: 'now', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: bonn, name: 'weather', response: { result: 'result 0' } } },
          { functionResponse: { id: rome, name: 'weather', response: { result: 'result 1' } } },
          { functionResponse: { id: now, name: 'now', response: { error: 'result 2' } } },
          { text: 'go on' },
        ],
      },
    ]);
  });

  test('thinks over two turns: each signature goes back on the part that it came with', async () => {
    const client = serve(
      'gemini-3-flash-preview',
      {
        stream: streamOf(
          piece([{ text: 'I must ', thought: true }]),
          piece([{ text: 'look.', thought: true }]),
          piece([{ text: 'Let me ' }]),
          piece([{ text: 'look.' }]),
          piece([{ text: '', thoughtSignature: 'b2YgdGV4dA==' }], 'STOP', counts),
        ),
      },
      {
        stream: streamOf(
          piece([{ text: 'Again.', thought: true, thoughtSignature: 'b2YgdGhvdWdodA==' }]),
          piece([call('now', {}, 'b2YgY2FsbA==')], 'STOP', counts),
        ),
      },
      done,
    );
    const thinking = { type: 'enabled', budget_tokens: 2000 } as const;
    const request = { ...ask, tools, thinking, max_tokens: 4000 };
    const first = await client.messages.stream(request).finalMessage();
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'redacted_thinking']);
    const next = [
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: 'and now?' },
    ] as const;
    const second = await client.messages.stream({ ...request, messages: [...next] }).finalMessage();
    const [use] = second.content.filter((block) => block.type === 'tool_use');
    await client.messages.create({
      ...request,
      messages: [
        ...next,
        { role: 'assistant', content: second.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: use?.id ?? '', content: 'noon' }] },
      ],
    });
    expect(server?.sent[0]?.['generationConfig']).toMatchObject({
      thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
    });
    expect(server?.sent[2]?.['contents']).toMatchObject([
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'I must look.', thought: true },
          { text: 'Let me look.', thoughtSignature: 'b2YgdGV4dA==' },
        ],
      },
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'Again.', thought: true, thoughtSignature: 'b2YgdGhvdWdodA==' },
          { functionCall: { name: 'now' }, thoughtSignature: 'b2YgY2FsbA==' },
        ],
      },
      { role: 'user' },
    ]);
  });

  test('shows images as bytes and by URL, and a PDF', async () => {
    const client = serve('gemini-2.5-flash', done);
    await client.messages.create({
      ...ask,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
            { type: 'image', source: { type: 'url', url: 'https://a.example/cat.webp?w=1' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' } },
          ],
        },
      ],
    });
    expect(server?.sent[0]?.['contents']).toEqual([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
          { fileData: { mimeType: 'image/webp', fileUri: 'https://a.example/cat.webp?w=1' } },
          { inlineData: { mimeType: 'application/pdf', data: 'cGRm' } },
        ],
      },
    ]);
  });

  test.each([
    ['STOP', 'end_turn'],
    ['MAX_TOKENS', 'max_tokens'],
    ['SAFETY', 'refusal'],
    ['RECITATION', 'refusal'],
    ['BLOCKLIST', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal'],
    ['SPII', 'refusal'],
    ['OTHER', 'end_turn'],
    ['A_WORD_OF_TOMORROW', 'end_turn'],
  ])('sees the end %s as %s, whole and streamed', async (finish, stopReason) => {
    const last = piece([{ text: 'x' }], finish, counts);
    const client = serve('gemini-2.5-flash', { stream: streamOf(last) }, { whole: JSON.stringify(last) });
    const streamed = await client.messages.stream(ask).finalMessage();
    const whole = await client.messages.create(ask);
    expect(String(streamed.stop_reason)).toBe(stopReason);
    expect(String(whole.stop_reason)).toBe(stopReason);
  });

  test('sees a blocked prompt as a refusal without content, whole and streamed', async () => {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: counts };
    const client = serve(
      'gemini-2.5-flash',
      { stream: streamOf(blocked) },
      { whole: JSON.stringify(blocked) },
    );
    expect(await client.messages.stream(ask).finalMessage()).toMatchObject({
      content: [],
      stop_reason: 'refusal',
    });
    expect(await client.messages.create(ask)).toMatchObject({ content: [], stop_reason: 'refusal' });
  });

  test('a call in an answer that ran out of tokens does not make it a use of tools', async () => {
    const client = serve('gemini-2.5-flash', {
      whole: JSON.stringify(piece([call('now')], 'MAX_TOKENS', counts)),
    });
    expect((await client.messages.create(ask)).stop_reason).toBe('max_tokens');
  });
});
