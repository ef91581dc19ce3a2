import { afterEach, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { chatClient } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { type ConvertedServer, serveConverted, type UpstreamAnswers } from '../testing/converted-server.ts';
import { googleUpstream } from './protocol.ts';
import { call, counts, piece, streamOf } from './testing/pieces.ts';

let server: ConvertedServer | undefined;
afterEach(() => server?.stop());

function serve(upstreamId: string, ...answers: readonly UpstreamAnswers[]): OpenAI {
  server = serveConverted({
    client: chatClient(),
    upstream: googleUpstream,
    read: readChatRequest,
    upstreamId,
    answers,
  });
  return new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
}

const question = { role: 'user', content: 'hi' } as const;
const ask = { model: 'm', messages: [question] };
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];
const done = { whole: JSON.stringify(piece([{ text: 'done' }], 'STOP', counts)) };

describe('the OpenAI client over a generateContent upstream', () => {
  test('collects text and counts', async () => {
    const client = serve('gemini-2.5-flash', {
      stream: streamOf(piece([{ text: 'Grüß ' }]), piece([{ text: 'dich 🦥' }], 'STOP', counts)),
    });
    const completion = await client.chat.completions
      .stream({ ...ask, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(completion).toMatchObject({ id: 'chatcmpl-1', model: 'gemini-x' });
    expect(completion.choices[0]).toMatchObject({
      message: { content: 'Grüß dich 🦥' },
      finish_reason: 'stop',
    });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 50,
      completion_tokens: 9,
      total_tokens: 59,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 4 },
    });
  });

  test.each(['streamed', 'whole'])(
    'uses tools in parallel over two turns with signatures, %s',
    async (how) => {
      const answer = piece(
        [
          { text: 'Two at once.', thought: true },
          call('weather', { city: 'Bonn' }, 'c2lnbmVk'),
          call('weather', { city: 'Rome' }),
        ],
        'STOP',
        counts,
      );
      const client = serve(
        'gemini-3-pro-preview',
        how === 'whole' ? { whole: JSON.stringify(answer) } : { stream: streamOf(answer) },
        done,
      );
      const request = { ...ask, tools };
      const first =
        how === 'whole'
          ? await client.chat.completions.create(request)
          : await client.chat.completions.stream(request).finalChatCompletion();
      const [choice] = first.choices;
      if (choice === undefined) throw new Error('there is no choice');
      expect(choice.finish_reason).toBe('tool_calls');
      const calls = choice.message.tool_calls ?? [];
      const ids = calls.map(({ id }) => id);
      expect(new Set(ids).size).toBe(2);
      await client.chat.completions.create({
        ...request,
        messages: [
          question,
          choice.message,
          ...ids.map((id, at) => ({ role: 'tool' as const, tool_call_id: id, content: `result ${at}` })),
        ],
      });
      expect(server?.sent[1]?.['contents']).toEqual([
        { role: 'user', parts: [{ text: 'hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'Two at once.', thought: true },
            {
              functionCall: { id: ids[0], name: 'weather', args: { city: 'Bonn' } },
              thoughtSignature: 'c2lnbmVk',
            },
            { functionCall: { id: ids[1], name: 'weather', args: { city: 'Rome' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: ids[0], name: 'weather', response: { result: 'result 0' } } },
            { functionResponse: { id: ids[1], name: 'weather', response: { result: 'result 1' } } },
          ],
        },
      ]);
    },
  );

  test('gets back the signature of text, which no field of the protocol holds', async () => {
    const client = serve(
      'gemini-3-pro-preview',
      { whole: JSON.stringify(piece([{ text: 'ok', thoughtSignature: 'b2YgdGV4dA==' }], 'STOP', counts)) },
      done,
    );
    const first = await client.chat.completions.create(ask);
    const message = first.choices[0]?.message;
    if (message === undefined) throw new Error('there is no message');
    await client.chat.completions.create({ ...ask, messages: [question, message, question] });
    expect(JSON.stringify(server?.sent[1]?.['contents'])).toContain('"thoughtSignature":"b2YgdGV4dA=="');
  });

  test('shows images by data URL and by address, and audio', async () => {
    const client = serve('gemini-2.5-flash', done);
    await client.chat.completions.create({
      ...ask,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
            { type: 'image_url', image_url: { url: 'https://a.example/picture' } },
            { type: 'input_audio', input_audio: { data: 'c291bmQ=', format: 'mp3' } },
          ],
        },
      ],
    });
    expect(server?.sent[0]?.['contents']).toEqual([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/picture' } },
          { inlineData: { mimeType: 'audio/mp3', data: 'c291bmQ=' } },
        ],
      },
    ]);
  });

  test('parses structured output that was asked for with a schema', async () => {
    const client = serve('gemini-2.5-flash', {
      whole: JSON.stringify(piece([{ text: '{"age":25}' }], 'STOP', counts)),
    });
    const schema = { type: 'object', properties: { age: { type: 'integer', exclusiveMinimum: 0 } } };
    const completion = await client.chat.completions.create({
      ...ask,
      response_format: { type: 'json_schema', json_schema: { name: 'person', schema } },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ age: 25 });
    expect(server?.sent[0]?.['generationConfig']).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
  });

  test('gets several choices, whose pieces come in turns', async () => {
    const two = (texts: readonly string[], finishReason?: string) => ({
      candidates: texts.map((text, index) => ({
        content: { parts: [{ text }], role: 'model' },
        index: index === 0 ? undefined : index,
        finishReason,
      })),
      responseId: 'resp-2',
    });
    const client = serve('gemini-2.5-flash', {
      stream: streamOf(two(['a', 'x']), two(['b', 'y']), two(['c', 'z'], 'STOP')),
    });
    const completion = await client.chat.completions.stream({ ...ask, n: 2 }).finalChatCompletion();
    expect(completion.choices.map(({ message }) => message.content)).toEqual(['abc', 'xyz']);
    expect(server?.sent[0]?.['generationConfig']).toEqual({ candidateCount: 2 });
  });

  test('gets logprobs', async () => {
    const chosen = [{ token: 'Hi', tokenId: 7, logProbability: -0.25 }];
    const likely = { chosenCandidates: chosen, topCandidates: [{ candidates: chosen }] };
    const answer = piece([{ text: 'Hi' }], 'STOP', counts);
    const client = serve('gemini-2.0-flash', {
      whole: JSON.stringify({
        ...answer,
        candidates: answer.candidates.map((one) => ({ ...one, logprobsResult: likely })),
      }),
    });
    const completion = await client.chat.completions.create({ ...ask, logprobs: true, top_logprobs: 1 });
    expect(completion.choices[0]?.logprobs?.content).toEqual([
      {
        token: 'Hi',
        logprob: -0.25,
        bytes: null,
        top_logprobs: [{ token: 'Hi', logprob: -0.25, bytes: null }],
      },
    ]);
    expect(server?.sent[0]?.['generationConfig']).toEqual({ responseLogprobs: true, logprobs: 1 });
  });

  test.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
  ])('sees the end %s as %s', async (finish, reason) => {
    const client = serve('gemini-2.5-flash', { stream: streamOf(piece([{ text: 'x' }], finish, counts)) });
    const completion = await client.chat.completions.create({ ...ask, stream: true });
    const reasons: unknown[] = [];
    for await (const chunk of completion) reasons.push(chunk.choices[0]?.finish_reason);
    expect(reasons).toContain(reason);
  });
});
