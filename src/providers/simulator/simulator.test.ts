import { describe, expect, test } from 'bun:test';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import { simulator } from './simulator.ts';

async function ask(fields: object): Promise<Response> {
  const body = JSON.stringify({
    model: 'simulator',
    messages: [{ role: 'user', content: 'Hi there' }],
    ...fields,
  });
  const request = { url: 'simulator:chat/completions', headers: {}, body };
  const response = await simulator.answer?.(request, new AbortController().signal);
  if (response === undefined) throw new Error('the simulator answers inside the process');
  return response;
}

const askWhole = async (fields: object): Promise<ChatCompletion> => (await ask(fields)).json();

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', minLength: 12 }, days: { type: 'integer', minimum: 3 } },
      required: ['city', 'days'],
    },
  },
};

describe('the simulator', () => {
  test('says that it is a simulation, the same each time', async () => {
    const [first, second] = [await askWhole({}), await askWhole({})];
    expect(first.choices[0]?.message.content).toContain('This is a simulation');
    expect(first.choices).toEqual(second.choices);
    expect(first.usage?.total_tokens).toBe(
      (first.usage?.prompt_tokens ?? 0) + (first.usage?.completion_tokens ?? 0),
    );
  });

  test('honours max_tokens', async () => {
    const { choices, usage } = await askWhole({ max_tokens: 3 });
    expect(choices[0]?.finish_reason).toBe('length');
    expect(usage?.completion_tokens).toBe(3);
    expect(choices[0]?.message.content).toBe('This is a');
  });

  test('calls a tool with arguments that fit its schema, and answers once the result is back', async () => {
    const { choices } = await askWhole({ tools: [weather] });
    const call = choices[0]?.message.tool_calls?.[0];
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    if (call?.type !== 'function') throw new Error('no function call');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'simulated...', days: 3 });
    const after = await askWhole({
      tools: [weather],
      messages: [
        { role: 'user', content: 'x' },
        { role: 'tool', tool_call_id: call.id, content: 'sunny' },
      ],
    });
    expect(after.choices[0]?.finish_reason).toBe('stop');
    const none = await askWhole({ tools: [weather], tool_choice: 'none' });
    expect(none.choices[0]?.finish_reason).toBe('stop');
  });

  test('fills a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { kind: { $ref: '#/$defs/kind' }, tags: { type: 'array', items: { type: 'string' } } },
      required: ['kind', 'tags'],
      $defs: { kind: { enum: ['river', 'lake'] } },
    };
    const { choices } = await askWhole({
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ kind: 'river', tags: ['simulated'] });
  });

  test.each([1, 3])('gives as many choices as are asked for (%i), whole and streamed', async (n) => {
    const whole = await askWhole({ n });
    expect(whole.choices.map(({ index }) => index)).toEqual(Array.from({ length: n }, (_, index) => index));
    const one = await askWhole({});
    expect(whole.usage?.completion_tokens).toBe(n * (one.usage?.completion_tokens ?? 0));
    const text = await (await ask({ n, stream: true })).text();
    const said = Array.from({ length: n }, () => '');
    for (const line of text.split('\n')) {
      if (!line.startsWith('data: {')) continue;
      for (const { index, delta } of JSON.parse(line.slice(6)).choices) said[index] += delta.content ?? '';
    }
    expect(said).toEqual(whole.choices.map(({ message }) => message.content ?? ''));
  });

  test('streams the same text as it gives whole, then usage, then the end', async () => {
    const whole = await askWhole({});
    const text = await (await ask({ stream: true })).text();
    const frames = text
      .trim()
      .split('\n\n')
      .map((frame) => frame.replace(/^data: /, ''));
    expect(frames.at(-1)).toBe('[DONE]');
    const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]?.message.content ?? '',
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  });
});

describe('the simulator beyond chat', () => {
  const askAt = async (url: string, body: object): Promise<Response> => {
    const request = { url: `simulator:${url}`, headers: {}, body: JSON.stringify(body) };
    const response = await simulator.answer?.(request, new AbortController().signal);
    if (response === undefined) throw new Error('the simulator answers inside the process');
    return response;
  };

  test('embeds texts that share words near each other, each vector of length one', async () => {
    const input = ['boats on the river', 'a river with boats', 'tax returns'];
    const { data } = await (await askAt('embeddings', { model: 'm', input })).json();
    const [boats, river, tax] = data.map(({ embedding }: { embedding: number[] }) => embedding);
    const nearness = (left: number[], right: number[]) =>
      left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
    expect(nearness(boats, boats)).toBeCloseTo(1);
    expect(nearness(boats, river)).toBeGreaterThan(nearness(boats, tax));
  });

  test('ranks documents by the words they share with the query', async () => {
    const body = { model: 'm', query: 'river boats', documents: ['tax returns', 'boats on a river'] };
    const { results } = await (await askAt('rerank', body)).json();
    expect(results[1].relevance_score).toBeGreaterThan(results[0].relevance_score);
  });

  test('speaks silence that lasts as long as the text would', async () => {
    const body = { model: 'm', input: 'x'.repeat(150), response_format: 'wav' };
    const wav = Buffer.from(await (await askAt('speech', body)).arrayBuffer());
    expect(wav.readUInt32LE(40) / wav.readUInt32LE(28)).toBeCloseTo(10);
    const mp3 = Buffer.from(await (await askAt('speech', { ...body, response_format: 'mp3' })).arrayBuffer());
    expect(mp3.readUInt16BE(0)).toBe(0xfffb);
    expect((mp3.length / 417) * (1152 / 44_100)).toBeCloseTo(10, 1);
  });

  test('writes down that nobody listened, the same for every upload', async () => {
    const { text } = await (await askAt('transcription', { file: 'any' })).json();
    expect(text).toBe('This is a simulation: nobody listened.');
  });

  test('makes no vectors that are longer than any in use, and says so as OpenAI would', async () => {
    const embedWith = (dimensions: number) =>
      askAt('embeddings', { model: 'm', input: ['river'], dimensions });
    const { data } = await (await embedWith(4096)).json();
    expect(data[0].embedding).toHaveLength(4096);
    const refused = await embedWith(4097);
    expect(refused.status).toBe(400);
    expect((await refused.json()).error).toMatchObject({
      type: 'invalid_request_error',
      param: 'dimensions',
      message: expect.stringContaining('4096'),
    });
  });
});
