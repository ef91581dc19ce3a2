/** The double as a Bedrock host: its answers, whole and in binary frames, and what it refuses. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { faultNames, startUpstream, type Upstream } from '../../index.ts';
import { isObject, parseJson, readList, readNumber, readObject, readText } from '../../json.ts';

let upstream: Upstream;

beforeEach(() => {
  upstream = startUpstream();
});
afterEach(() => upstream.stop());

const model = 'anthropic.claude-double-v1:0';
const says = (role: string, ...content: readonly object[]) => ({ role, content });
const ask = { messages: [says('user', { text: 'Hello' })] };
const inputSchema = {
  json: { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] },
};
const toolConfig = { tools: [{ toolSpec: { name: 'tide', inputSchema } }] };

function post(verb: 'converse' | 'converse-stream', body: object): Promise<Response> {
  const url = `${upstream.url}/model/${encodeURIComponent(model)}/${verb}`;
  return fetch(url, { method: 'POST', body: JSON.stringify(body) });
}

interface Frame {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
}

/** Reads frames by their lengths; throws where a checksum does not fit. */
function readFrames(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let start = 0; start < bytes.length; ) {
    const total = bytes.readUInt32BE(start);
    const headLength = bytes.readUInt32BE(start + 4);
    const frame = bytes.subarray(start, start + total);
    if (frame.readUInt32BE(8) !== crc32(frame.subarray(0, 8))) throw new Error('the prelude is damaged');
    if (frame.readUInt32BE(total - 4) !== crc32(frame.subarray(0, -4))) throw new Error('a frame is damaged');
    const payload = parseJson(frame.subarray(12 + headLength, -4).toString());
    frames.push({ headers: readHeaders(frame.subarray(12, 12 + headLength)), payload });
    start += total;
  }
  return frames;
}

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const valueStart = nameEnd + 3;
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1);
    headers[bytes.toString('utf8', at + 1, nameEnd)] = bytes.toString('utf8', valueStart, valueEnd);
    at = valueEnd;
  }
  return headers;
}

async function framesOf(body: object): Promise<Frame[]> {
  const response = await post('converse-stream', body);
  expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
  return readFrames(Buffer.from(await response.arrayBuffer()));
}

/** The blocks of a stream, put together as a whole answer has them. */
function joined(frames: readonly Frame[]): object[] {
  const blocks: Record<string, string>[] = [];
  for (const { payload } of frames) {
    const index = readNumber(payload, 'contentBlockIndex');
    if (index === undefined) continue;
    const use = readObject(readObject(payload, 'start'), 'toolUse');
    const delta = readObject(payload, 'delta');
    const reasoning = readObject(delta, 'reasoningContent');
    const block = blocks[index] ?? {};
    blocks[index] = block;
    const add = (name: string, text: string | undefined): void => {
      if (text !== undefined) block[name] = (block[name] ?? '') + text;
    };
    add('name', readText(use, 'name'));
    add('input', readText(readObject(delta, 'toolUse'), 'input'));
    add('text', readText(delta, 'text'));
    add('thought', readText(reasoning, 'text'));
    add('signature', readText(reasoning, 'signature'));
  }
  return blocks;
}

function plain(content: unknown): object {
  const use = readObject(content, 'toolUse');
  const thought = readObject(readObject(content, 'reasoningContent'), 'reasoningText');
  if ('name' in use) return { name: use['name'], input: JSON.stringify(use['input']) };
  if ('text' in thought) return { thought: thought['text'], signature: thought['signature'] };
  return { text: readText(content, 'text') };
}

describe('a made-up answer', () => {
  test.each([
    ['text', { nonAscii: true, tokens: 12, promptTokens: 50, cachedTokens: 20 }, {}],
    ['thinking', { showReasoning: true, reasoningTokens: 4, text: 'Yes, it is.' }, {}],
    ['uses of tools', { toolCalls: 2 }, { toolConfig }],
    ['a refusal', { refusal: 'That is not for us.' }, {}],
    ['a limit', {}, { inferenceConfig: { maxTokens: 5 } }],
    ['a stop sequence', { text: 'One two three' }, { inferenceConfig: { stopSequences: ['three'] } }],
  ])('with %s is the same whole and streamed', async (_name, generate, fields) => {
    upstream.byDefault({ generate });
    const body = { ...ask, ...fields };
    const whole = await (await post('converse', body)).json();
    const told = { ...upstream.counts };
    const frames = await framesOf(body);
    expect(joined(frames)).toEqual(readList(whole.output.message, 'content').map(plain));
    const typed = (type: string) => frames.find(({ headers }) => headers[':event-type'] === type)?.payload;
    expect(typed('messageStop')).toMatchObject({ stopReason: whole.stopReason });
    expect(typed('metadata')).toMatchObject({ usage: whole.usage });
    expect(upstream.counts).toMatchObject({
      promptTokens: 2 * told.promptTokens,
      completionTokens: 2 * told.completionTokens,
      contentTokens: 2 * told.contentTokens,
    });
  });

  test('arrives in any pieces, and its request is known by its model', async () => {
    upstream.forModel(model, { generate: { text: 'One two' }, shape: { writes: { everyBytes: 3 } } });
    expect(joined(await framesOf(ask))).toEqual([{ text: 'One two' }]);
    expect(upstream.requests[0]?.model).toBe(model);
  });

  test('states what the cache served beside the input', async () => {
    upstream.enqueue({ generate: { promptTokens: 50, cachedTokens: 20, tokens: 3 } });
    const { usage } = await (await post('converse', ask)).json();
    expect(usage).toMatchObject({
      inputTokens: 30,
      cacheReadInputTokens: 20,
      outputTokens: 3,
      totalTokens: 53,
    });
    expect(upstream.counts).toMatchObject({ promptTokens: 50, cachedTokens: 20, completionTokens: 3 });
  });
});

describe('a second turn', () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const fields = { toolConfig, additionalModelRequestFields: { thinking } };

  async function turns(): Promise<{ thought: object; use: object; result: object }> {
    upstream.enqueue({ generate: { showReasoning: true, reasoningTokens: 3, toolCalls: 1 } });
    const { output } = await (await post('converse', { ...ask, ...fields })).json();
    const [thought, use] = output.message.content;
    const toolUseId = readText(readObject(use, 'toolUse'), 'toolUseId');
    return { thought, use, result: { toolResult: { toolUseId, content: [{ text: 'high' }] } } };
  }

  const next = (content: readonly object[], result: object) =>
    post('converse', {
      ...fields,
      messages: [...ask.messages, says('assistant', ...content), says('user', result)],
    });

  test('takes its thinking back', async () => {
    const { thought, use, result } = await turns();
    expect((await next([thought, use], result)).status).toBe(200);
  });

  test('is refused when the thinking is missing, unsigned or changed', async () => {
    const { thought, use, result } = await turns();
    const { text, signature } = readThought(thought);
    const other = (reasoningText: object) => ({ reasoningContent: { reasoningText } });
    for (const content of [
      [use],
      [other({ text }), use],
      [other({ text: `${text}!`, signature }), use],
      [use, thought],
    ]) {
      expect((await next(content, result)).status).toBe(400);
    }
  });
});

describe('it refuses', () => {
  const use = { toolUse: { toolUseId: 't1', name: 'tide', input: {} } };
  const result = { toolResult: { toolUseId: 't1', content: [{ text: 'high' }] } };
  const user = says('user', { text: 'Hi' });
  const document = { document: { format: 'pdf', name: 'tides', source: { bytes: 'AAAA' } } };

  test.each([
    ['no messages', { messages: [] }],
    ['members of another protocol', { max_tokens: 5 }],
    ['two users in a row', { messages: [user, user] }],
    ['an assistant at first', { messages: [says('assistant', { text: 'Hi' })] }],
    ['a blank text', { messages: [says('user', { text: ' ' })] }],
    ['a block of two kinds', { messages: [says('user', { text: 'Hi', type: 'text' })] }],
    ['a use without a result', { toolConfig, messages: [user, says('assistant', use), user] }],
    ['a result without a use', { toolConfig, messages: [says('user', result)] }],
    ['uses without tools', { messages: [user, says('assistant', use), says('user', result)] }],
    [
      'arguments as text',
      {
        toolConfig,
        messages: [
          user,
          says('assistant', { toolUse: { ...use.toolUse, input: '{}' } }),
          says('user', result),
        ],
      },
    ],
    [
      'an image of no known format',
      { messages: [says('user', { image: { format: 'image/png', source: { bytes: 'AAAA' } } })] },
    ],
    ['a document without words', { messages: [says('user', document)] }],
    [
      'a document with a file name',
      { messages: [says('user', { text: 'Hi' }, { document: { ...document.document, name: 'tides.pdf' } })] },
    ],
    ['an empty list of tools', { toolConfig: { tools: [] } }],
    [
      'a schema that is not text',
      { outputConfig: { textFormat: { structure: { jsonSchema: { schema: inputSchema.json } } } } },
    ],
    ['a temperature above 1', { inferenceConfig: { temperature: 1.5 } }],
    [
      'thinking with a forced tool',
      {
        toolConfig: { ...toolConfig, toolChoice: { any: {} } },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
      },
    ],
    [
      'a budget beyond the bound',
      {
        inferenceConfig: { maxTokens: 1000 },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
      },
    ],
  ])('%s', async (_name, fields) => {
    const response = await post('converse', { ...ask, ...fields });
    expect(response.status).toBe(400);
    expect(response.headers.get('x-amzn-errortype')).toBe('ValidationException');
    expect(await response.json()).toHaveProperty('message');
  });
});

describe('faults', () => {
  const refusals = faultNames.filter((name) => /^(status_|rate_limited|content_|context_|wrong_)/.test(name));

  test.each(refusals)('%s is an error with its kind', async (fault) => {
    upstream.enqueue({ fault });
    const response = await post('converse', ask);
    expect(response.ok).toBe(false);
    expect(response.headers.get('x-amzn-errortype')).toEndWith('Exception');
  });

  test('an error inside a stream is an exception, or an error of the stream', async () => {
    upstream.enqueue({ fault: 'in_band_error' }, { fault: { name: 'in_band_error', insideChunk: true } });
    expect((await framesOf(ask)).at(-1)).toMatchObject({
      headers: { ':message-type': 'exception', ':exception-type': 'internalServerException' },
      payload: { message: 'The double met an error of its own making.' },
    });
    expect((await framesOf(ask)).at(-1)?.headers).toMatchObject({ ':message-type': 'error' });
  });

  test('a frame is broken in its JSON, or in its checksum', async () => {
    upstream.enqueue(
      { fault: 'malformed_chunk' },
      { fault: { name: 'malformed_chunk', damagesChecksum: true } },
    );
    expect((await framesOf(ask)).some(({ payload }) => !isObject(payload))).toBe(true);
    await expect(framesOf(ask)).rejects.toThrow('a frame is damaged');
  });

  test('a stream ends early, and a frame is huge', async () => {
    upstream.enqueue({ fault: 'truncated_stream' }, { fault: { name: 'huge_body', bytes: 100_000 } });
    expect(await framesOf(ask)).toHaveLength(3);
    const [first] = await framesOf(ask);
    expect(readText(first?.payload, 'filler')).toHaveLength(100_000);
  });
});

function readThought(block: object): { text: string; signature: string } {
  const thought = readObject(readObject(block, 'reasoningContent'), 'reasoningText');
  return { text: readText(thought, 'text') ?? '', signature: readText(thought, 'signature') ?? '' };
}
