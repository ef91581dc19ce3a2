import { describe, expect, spyOn, test } from 'bun:test';
import { asObject, asObjects } from '../json/fields.ts';
import { delta as chatDelta, chatFrames } from '../testing/frames.ts';
import { translate } from '../translate/translate.ts';
import { ComplaintError, UnreadableAnswerError, unfinishedAnswer } from '../translator.ts';
import { hostDialect } from './dialect.ts';
import { chatPassthrough, chatPassthroughIn } from './passthrough.ts';
import { chatClient, chatUpstream } from './protocol.ts';
import { readChatRequest } from './request.ts';

const request = (fields: object = {}) =>
  readChatRequest(JSON.stringify({ model: 'alias', messages: [{ role: 'user', content: 'hi' }], ...fields }));

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...fields })}\n\n`;
const delta = (content: object, finish: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: content, finish_reason: finish }], usage: null });
const usageChunk = chunk({
  choices: [],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 3 },
  },
});
const done = 'data: [DONE]\n\n';

function openStream(fields: object = {}) {
  const stream = chatPassthrough.openStream(request({ stream: true, ...fields }));
  const push = (text: string, frames?: number) =>
    Buffer.from(stream.push(Buffer.from(text), frames)).toString('utf8');
  return { stream, push };
}

describe('the request', () => {
  test('goes on with the provider’s model id and asks for usage in a stream', () => {
    const written = chatPassthrough.writeRequest(request({ stream: true, custom: [1] }), 'up-1');
    expect(JSON.parse(written)).toEqual({
      model: 'up-1',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
      custom: [1],
    });
  });

  test('keeps other stream options, and adds none when the answer is whole', () => {
    const streamed = request({ stream: true, stream_options: { include_obfuscation: false } });
    expect(JSON.parse(chatPassthrough.writeRequest(streamed, 'up')).stream_options).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
    expect(JSON.parse(chatPassthrough.writeRequest(request(), 'up'))).not.toHaveProperty('stream_options');
  });

  test('does not tell the upstream of the session, and keeps every other byte', () => {
    const body = (metadata: string) =>
      `{ "model": "m",${metadata} "messages": [{"role":"user","content":"hi"}], "big": 12345678901234567890 }`;
    const written = (metadata: string) => chatPassthrough.writeRequest(readChatRequest(body(metadata)), 'm');
    const given = '"metadata": {"session_id":"s", "n":1e3,"sticky_key":null},';
    expect(written(` ${given}`)).toBe(body(' "metadata": { "n":1e3},'));
    expect(written(' "metadata": {"sticky_key":"k","session_id":"s"},')).toBe(body(''));
    for (const own of ['{}', 'null', '{"team": "t"}']) {
      expect(written(` "metadata": ${own},`)).toBe(body(` "metadata": ${own},`));
    }
  });
});

describe('an effort', () => {
  const effortFor = (upstreamId: string, effort: unknown) =>
    JSON.parse(chatPassthrough.writeRequest(request({ reasoning_effort: effort, n: 1 }), upstreamId))
      .reasoning_effort;

  test.each([
    ['gpt-5', 'xhigh', 'high'],
    ['gpt-5', 'none', 'minimal'],
    ['o3', 'minimal', 'low'],
    ['gpt-4o', 'low', undefined],
    ['gpt-5.1-chat-latest', 'medium', undefined],
    ['gpt-5', 'high', 'high'],
    ['gpt-5', 'uncommon', 'uncommon'],
    ['gpt-5', null, null],
    ['somebody/model', 'xhigh', 'xhigh'],
  ])('of %s: %p is asked for as %p', (upstreamId, effort, written) => {
    expect(effortFor(upstreamId, effort)).toBe(written);
  });
});

describe('the request, for a host with a dialect of its own', () => {
  const host = chatPassthroughIn({ ...hostDialect, streamUsage: 'always' });
  const parsed = (fields: object, upstreamId = 'up') =>
    JSON.parse(host.writeRequest(request(fields), upstreamId));

  test('passes with its bytes when the host takes it so', () => {
    const text =
      '{ "model": "m", "max_tokens": 9, "messages": [{"role":"user","content":"hi"}], "big": 12345678901234567890 }';
    expect(host.writeRequest(readChatRequest(text), 'up')).toBe(text.replace('"m"', '"up"'));
  });

  test('keeps every other byte when something in it is changed for the host', () => {
    const written = host.writeRequest(
      readChatRequest(
        '{ "model":"m", "seed": 12345678901234567890, "max_completion_tokens": 9, "temperature":1.0, "messages" : [ {"role":"developer","content":"b","x":1.50}, {"role":"user","content":"hi","y":1e2}] }',
      ),
      'up',
    );
    expect(written).toBe(
      '{"max_tokens":9, "model":"up", "seed": 12345678901234567890, "temperature":1.0, "messages" : [{"role":"system","content":"b","x":1.50},{"role":"user","content":"hi","y":1e2}] }',
    );
  });

  test('is not asked for usage where streams tell it anyway, not even by the client', () => {
    expect(parsed({ stream: true })).not.toHaveProperty('stream_options');
    const asked = parsed({ stream: true, stream_options: { include_usage: true }, custom: [1] });
    expect(asked).toEqual({ model: 'up', messages: request().json['messages'], stream: true, custom: [1] });
  });

  test('has the bound on the output in the host’s word, and in OpenAI’s newer word for its models', () => {
    expect(parsed({ max_completion_tokens: 9 })).toMatchObject({ max_tokens: 9 });
    expect(parsed({ max_completion_tokens: 9 })).not.toHaveProperty('max_completion_tokens');
    expect(parsed({ max_tokens: 9, max_completion_tokens: 8 })).toMatchObject({ max_tokens: 8 });
    const newer = JSON.parse(chatPassthrough.writeRequest(request({ max_tokens: 9 }), 'gpt-5-mini'));
    expect(newer).toMatchObject({ max_completion_tokens: 9 });
    expect(newer).not.toHaveProperty('max_tokens');
    const older = JSON.parse(chatPassthrough.writeRequest(request({ max_tokens: 9 }), 'gpt-4o'));
    expect(older).toMatchObject({ max_tokens: 9 });
  });

  test('has system instructions in place of a developer’s', () => {
    const messages = [
      { role: 'developer', content: 'be brief', name: 'd' },
      { role: 'user', content: 'hi' },
    ];
    expect(parsed({ messages })['messages']).toEqual([
      { role: 'system', content: 'be brief', name: 'd' },
      { role: 'user', content: 'hi' },
    ]);
    expect(JSON.parse(chatPassthrough.writeRequest(request({ messages }), 'up'))['messages']).toEqual(
      messages,
    );
  });
});

describe('a whole answer', () => {
  test('passes untouched; its counts become disjoint', () => {
    const body = `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":10,"completion_tokens":4,
      "prompt_tokens_details":{"cached_tokens":6}},"big":12345678901234567890}`;
    const answer = chatPassthrough.readAnswer(body, request());
    expect(answer.body).toBe(body);
    expect(answer.usage).toMatchObject({
      inputTokens: 4,
      cacheReadTokens: 6,
      outputTokens: 4,
      estimated: false,
    });
  });

  test('DeepSeek’s spelling of the cache is understood', () => {
    const body =
      '{"choices":[{}],"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_cache_hit_tokens":8}}';
    expect(chatPassthrough.readAnswer(body, request()).usage).toMatchObject({
      inputTokens: 2,
      cacheReadTokens: 8,
    });
  });

  test.each([
    [
      'beside the others, as its total shows',
      { completion_tokens: 1, total_tokens: 241, reasoning: 228 },
      229,
    ],
    ['inside them, as its total shows', { completion_tokens: 229, total_tokens: 241, reasoning: 228 }, 229],
    ['inside them, when no total says otherwise', { completion_tokens: 229, reasoning: 228 }, 229],
  ])('tokens of reasoning are paid for once: %s', (_where, { reasoning, ...counts }, outputTokens) => {
    const usage = {
      prompt_tokens: 12,
      ...counts,
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
    const body = JSON.stringify({ choices: [{}], usage });
    expect(chatPassthrough.readAnswer(body, request()).usage).toMatchObject({
      inputTokens: 12,
      outputTokens,
      reasoningTokens: 228,
    });
  });

  test.each([
    [
      'in the first choice',
      { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 5, cached_tokens: 2 } }] },
    ],
    [
      'in a place of Groq’s',
      { choices: [], x_groq: { usage: { prompt_tokens: 5, prompt_cache_hit_tokens: 2 } } },
    ],
  ])('counts of a stream are found %s', (_where, fields) => {
    const { stream, push } = openStream();
    push(delta({ content: 'x' }));
    push(chunk(fields));
    expect(stream.usageSoFar).toMatchObject({ inputTokens: 3, cacheReadTokens: 2 });
  });

  test('an error in spite of status 200 is a complaint; HTML and nonsense cannot be read', () => {
    expect(() => chatPassthrough.readAnswer('{"error":{"message":"quota","code":429}}', request())).toThrow(
      ComplaintError,
    );
    expect(() =>
      chatPassthrough.readAnswer('{"choices":[],"error":{"message":"busy"},"usage":null}', request()),
    ).toThrow(ComplaintError);
    const counted = '"usage":{"prompt_tokens":9,"completion_tokens":0}}';
    const empty = [`{"choices":[],${counted}`, `{"id":"x", "choices" : [ ], ${counted}`];
    for (const body of ['<html>', '', '[]', '{"id":"x"}', ...empty]) {
      expect(() => chatPassthrough.readAnswer(body, request())).toThrow(UnreadableAnswerError);
    }
  });
});

describe('a stream', () => {
  test('whose text says the last word in every frame is searched once', () => {
    const searches = (frames: number): number => {
      const { push } = openStream();
      push(delta({ content: 'x' }));
      const says = (number: number) =>
        chunk({ number, choices: [{ index: 0, delta: { content: '[DONE]' }, finish_reason: null }] });
      const block = Array.from({ length: frames }, (_, number) => says(number)).join('');
      let count = 0;
      const { indexOf } = Buffer.prototype;
      const spy = spyOn(Buffer.prototype, 'indexOf').mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof indexOf>
      ) {
        if (String(args[0]).includes('finish_reason')) count += 1;
        return indexOf.apply(this, args);
      });
      push(block);
      spy.mockRestore();
      return count;
    };
    expect(searches(400) / searches(200)).toBeWithin(1.5, 2.5);
  });

  test('has content from the first text, reasoning, tool call or end; a role alone is none', () => {
    for (const content of [
      { content: 'a' },
      { reasoning_content: 'a' },
      { tool_calls: [{ index: 0 }] },
      { refusal: 'no' },
    ]) {
      const { stream, push } = openStream();
      push(delta({ role: 'assistant', content: '' }));
      expect(stream.hasContent).toBe(false);
      push(delta(content));
      expect(stream.hasContent).toBe(true);
    }
  });

  test('loses only the usage chunk that the client did not ask for', () => {
    const { stream, push } = openStream();
    const text = delta({ content: 'a' }) + delta({}, 'stop');
    expect(push(text + usageChunk + done)).toBe(text + done);
    expect(stream.usage).toMatchObject({
      inputTokens: 60,
      cacheReadTokens: 40,
      outputTokens: 7,
      reasoningTokens: 3,
    });
    expect(stream.isComplete).toBe(true);
    expect(stream.end()).toHaveLength(0);
  });

  test('keeps the usage chunk that the client asked for', () => {
    const { push } = openStream({ stream_options: { include_usage: true } });
    expect(push(usageChunk)).toBe(usageChunk);
  });

  test('usage on a chunk that has more than usage stays where it is', () => {
    const { stream, push } = openStream();
    const last = chunk({
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    expect(push(last)).toBe(last);
    expect(stream.usage).toMatchObject({ inputTokens: 1, outputTokens: 2 });
  });

  test('generated text that looks like usage or an error changes nothing', () => {
    const { stream, push } = openStream();
    const tricky = delta({
      content: '{"usage": {"prompt_tokens": 9}, "error": {"message": "x"}, "finish_reason":"stop"}',
    });
    expect(push(tricky)).toBe(tricky);
    expect(stream.usage).toBeNull();
    expect(stream.complaint).toBeNull();
    expect(stream.isComplete).toBe(false);
  });

  test('an error before or after the first content is a complaint', () => {
    const early = openStream();
    early.push('data: {"error":{"message":"busy","code":503}}\n\n');
    expect(early.stream).toMatchObject({ hasContent: false, complaint: { message: 'busy', status: 503 } });
    const late = openStream();
    late.push(delta({ content: 'a' }));
    late.push('data: {"error":{"message":"busy"}}\n\n');
    expect(late.stream.complaint).toMatchObject({ message: 'busy' });
  });

  test('a chunk cut short is a complaint, a comment is not', () => {
    const { stream, push } = openStream();
    push(delta({ content: 'a' }));
    expect(push(': keep-alive\n\n')).toBe(': keep-alive\n\n');
    expect(stream.complaint).toBeNull();
    push('data: {"id":"c","choices":[{"ind\n\n');
    expect(stream.complaint).not.toBeNull();
  });

  test('an empty finish reason is no end', () => {
    const { stream, push } = openStream();
    push(delta({ content: 'a' }, ''));
    expect(stream.isComplete).toBe(false);
  });

  test('what stands before an error in the same piece goes on, the error and what follows it does not', () => {
    const { stream, push } = openStream();
    const sound = delta({ content: 'a' }) + delta({ content: 'b' });
    expect(push(`${sound}data: {"error":{"message":"sk-secret"}}\n\n${delta({ content: 'c' })}`)).toBe(sound);
    expect(stream.complaint).toMatchObject({ message: 'sk-secret' });
  });

  test('a chunk with nothing in its delta is no text', () => {
    const { stream, push } = openStream();
    push(delta({ role: 'assistant', content: 'a' }));
    const known = stream.generatedCharacters;
    for (const empty of [{}, { content: '' }, { role: 'assistant', content: null, tool_calls: [] }])
      push(delta(empty));
    push(delta({ content: '', function_call: {} }).replaceAll(/([:,])/g, '$1 '));
    expect(stream.generatedCharacters).toBe(known);
    for (const filled of [
      { content: '', reasoning: 'b' },
      { content: '"delta":{}' },
      { audio: { id: 'x' } },
    ]) {
      const before = stream.generatedCharacters;
      push(delta(filled) + delta({}));
      expect(stream.generatedCharacters).toBeGreaterThan(before);
    }
  });

  test('text is measured without its envelopes, however the frames arrive', () => {
    for (const joined of [true, false]) {
      const { stream, push } = openStream();
      const frames = Array.from({ length: 50 }, () => delta({ content: 'four' }));
      if (joined) push(frames.join(''));
      else for (const frame of frames) push(frame);
      expect(stream.generatedCharacters).toBeGreaterThanOrEqual(200);
      expect(stream.generatedCharacters).toBeLessThan(260);
    }
  });

  test('a block brings no text only where all its frames are silent, counted or not', () => {
    const [silent, filled] = [delta({ content: '' }), delta({ content: 'a' })];
    for (const isCounted of [true, false]) {
      const { stream, push } = openStream();
      push(filled);
      const grows = (...frames: string[]) => {
        const known = stream.generatedCharacters;
        push(frames.join(''), isCounted ? frames.length : undefined);
        return stream.generatedCharacters > known;
      };
      expect([grows(silent), grows(silent, delta({}), silent)]).toEqual([false, false]);
      expect([
        grows(silent, filled),
        grows(filled, silent, silent),
        grows(silent, filled, silent),
        grows(filled),
      ]).toEqual([true, true, true, true]);
    }
  });

  test('a text that looks like many frames is one where they were counted', () => {
    const { stream, push } = openStream();
    push(delta({ content: 'four' }));
    push(delta({ content: 'data: '.repeat(50) }) + delta({ reasoning: 'a' }), 2);
    expect(stream.generatedCharacters).toBeWithin(304, 310);
  });

  test('the frames of a block are counted again where not all of it goes on', () => {
    const error = 'data: {"error":{"message":"busy"}}\n\n';
    const characters = [undefined, 3].map((frames) => {
      const { stream, push } = openStream();
      push(delta({ content: 'four' }));
      push(delta({ content: 'x'.repeat(100) }) + error + error, frames);
      return stream.generatedCharacters;
    });
    expect(characters).toEqual([104, 104]);
  });

  test('an end without [DONE] is clean after a finish reason, and the client gets its [DONE]', () => {
    const { stream, push } = openStream();
    push(delta({ content: 'a' }) + delta({}, 'stop'));
    expect(stream.isComplete).toBe(true);
    expect(Buffer.from(stream.end()).toString()).toBe(done);
  });

  test.each([1, 2])('[DONE] without a finish reason is no end, and is not passed on (n: %i)', (n) => {
    const { stream, push } = openStream({ n });
    push(delta({ content: 'a' }));
    expect(Buffer.from(stream.push(Buffer.from(delta({ content: 'b' }) + done))).toString()).not.toContain(
      'DONE',
    );
    expect(stream.complaint).toBe(unfinishedAnswer);
    expect(stream.isComplete).toBe(false);
  });

  test('with several choices one finish reason is not the end', () => {
    const { stream, push } = openStream({ n: 2 });
    push(delta({ content: 'a' }) + delta({}, 'stop'));
    expect(stream.isComplete).toBe(false);
    push(done);
    expect(stream.isComplete).toBe(true);
  });
});

describe('how a host spells its frames', () => {
  const spellings = [':', ': ', ':  ', ' :', ' : ', ' :   '];
  const ended = (spelling: string, reason: string, text = '') =>
    delta({ content: text }, 'here').replace('"finish_reason":"here"', `"finish_reason"${spelling}${reason}`);

  test.each(spellings)('changes nothing in what ends it: %j', (spelling) => {
    const piece = ended(spelling, 'null', 'a');
    for (const others of [0, 1, 30]) {
      for (const before of [piece, delta({ content: 'a' })]) {
        const last = before.repeat(others) + ended(spelling, '"stop"') + before.repeat(others);
        const { stream, push } = openStream();
        push(piece);
        expect([
          push(piece.repeat(20)),
          push(ended(spelling, '""', 'a').repeat(20)),
          stream.isComplete,
        ]).toEqual([piece.repeat(20), ended(spelling, '""', 'a').repeat(20), false]);
        expect([push(last), stream.isComplete]).toEqual([last, true]);
        expect([push(done), stream.complaint]).toEqual([done, null]);
      }
    }
  });

  test('with a tab, which nobody writes, is not understood', () => {
    const { stream, push } = openStream();
    push(delta({ content: 'a' }) + ended(':\t', '"stop"'));
    expect([stream.isComplete, push(done), stream.complaint]).toEqual([false, '', unfinishedAnswer]);
  });
});

describe('frames that repeat those before them', () => {
  const texts = ['b', ' "quoted" ', '\\', '\n\n', '"error":{"message":"x"}', '[DONE]', 'data: x', '🌊'];
  const manners: readonly (readonly [string, (text: string) => string])[] = [
    ['text', (text) => delta({ content: text })],
    ['thoughts', (text) => delta({ content: '', reasoning_content: text })],
    ['a call', (text) => delta({ tool_calls: [{ index: 0, function: { arguments: text } }] })],
    [
      'padding',
      (text) =>
        delta({ content: text }).replace('"usage":null', `"obfuscation":"${'x'.repeat(text.length)}"`),
    ],
  ];

  test.each(manners)('pass as they are, and each brings something: %s', (_name, frame) => {
    const { stream, push } = openStream();
    push(frame('a'));
    for (const text of texts) {
      const known = stream.generatedCharacters;
      expect(push(frame(text))).toBe(frame(text));
      expect(stream.generatedCharacters).toBeGreaterThan(known);
    }
    const all = texts.map(frame).join('');
    expect(push(all)).toBe(all);
    expect(stream).toMatchObject({ isComplete: false, usageSoFar: null, complaint: null });
    expect(stream.repeated?.count(Buffer.from(frame('c') + frame('d')))).toBe(2);
  });

  test.each(manners)('hide nothing that comes with or behind them: %s', (_name, frame) => {
    const [first, again] = [frame('a'), frame('b') + frame('c')];
    const counted = delta({}, 'stop') + usageChunk;
    for (const isTogether of [true, false]) {
      const opened = () => {
        const one = openStream();
        one.push(first);
        one.push(again);
        const told = (text: string) =>
          isTogether ? one.push(again + text).slice(again.length) : one.push(text);
        return { stream: one.stream, told };
      };
      const ending = opened();
      expect(ending.told(counted + done)).toBe(delta({}, 'stop') + done);
      expect(ending.stream).toMatchObject({ isComplete: true, isEnded: true, usage: { outputTokens: 7 } });
      const failing = opened();
      expect(failing.told(`data: {"error":{"message":"busy"}}\n\n${again}`)).toBe('');
      expect(failing.stream.complaint).toMatchObject({ message: 'busy' });
      const cut = opened();
      expect(cut.told('data: {"id":"c","choices":[{"ind\n\n')).toBe('');
      expect(cut.stream.complaint).not.toBeNull();
    }
  });

  test('are none where each has counts, an end or a complaint of its own', () => {
    for (const manner of [
      (text: string) => delta({ content: text }).replace('"usage":null', '"usage":{"prompt_tokens":1}'),
      (text: string) => delta({ content: text }, 'stop'),
      (text: string) => delta({ content: text }).replace('"usage":null', '"message":""'),
    ]) {
      const { stream, push } = openStream();
      for (const text of ['a', 'b', 'c']) push(manner(text));
      expect(stream.repeated?.count(Buffer.from(manner('d')))).toBe(0);
    }
  });
});

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
      chatDelta({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] }),
      chatDelta({}, 'tool_calls'),
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

describe('answers of a host that have a shape of its own', () => {
  const passthrough = chatPassthroughIn({ ...hostDialect, ownShape: true });
  const called = (id: string, args = '{"n":1.0}') => ({ id, function: { name: 'look', arguments: args } });

  test('have the type and index of each call in a stream, and the rest of each frame keeps its bytes', () => {
    const stream = passthrough.openStream(request({ stream: true }));
    const frames = [
      delta({ tool_calls: [called('a'), called('b')] }),
      delta({ tool_calls: [{ function: { arguments: '2' } }] }),
      delta({ content: 'the word "tool_calls": [' }, 'tool_calls'),
    ];
    const told = frames.map((frame) => Buffer.from(stream.push(Buffer.from(frame))).toString());
    const callsIn = (frame = '') => JSON.parse(frame.slice(6)).choices[0].delta.tool_calls;
    expect(callsIn(told[0])).toEqual([
      { index: 0, type: 'function', ...called('a') },
      { index: 1, type: 'function', ...called('b') },
    ]);
    expect(callsIn(told[1])).toEqual([{ index: 1, function: { arguments: '2' } }]);
    expect(told[2]).toBe(frames[2] ?? '');
    expect(told[0]?.replaceAll('"index":0,"type":"function","id"', '"id"')).toContain(
      '"delta":{"tool_calls":[{"id":"a",',
    );
  });

  test('have them where a frame repeats another', () => {
    const stream = passthrough.openStream(request({ stream: true }));
    const piece = (args: string) => delta({ tool_calls: [{ function: { arguments: args } }] });
    const told = ['a', 'b', 'c', 'd'].map((args) =>
      Buffer.from(stream.push(Buffer.from(piece(args)))).toString(),
    );
    expect(stream.repeated?.count(Buffer.from(piece('e')))).toBe(1);
    expect(told.every((frame) => frame.includes('"tool_calls":[{"index":0,'))).toBe(true);
  });

  test('keep what the host says of its calls', () => {
    const stream = passthrough.openStream(request({ stream: true }));
    const whole = delta({ tool_calls: [{ index: 3, type: 'function', ...called('a') }] });
    expect(Buffer.from(stream.push(Buffer.from(whole))).toString()).toBe(whole);
  });

  test('have the type of each call when they are whole', () => {
    const body = JSON.stringify({ choices: [{ message: { tool_calls: [called('a')] } }], usage: null });
    const answer = JSON.parse(passthrough.readAnswer(body, request()).body);
    expect(answer.choices[0].message.tool_calls).toEqual([{ type: 'function', ...called('a') }]);
  });

  test('come with thoughts beside a text, and not with a list of parts in its place', () => {
    const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
    const said = (text: string) => ({ type: 'text', text });
    const stream = passthrough.openStream(request({ stream: true }));
    const told = [
      delta({ role: 'assistant', content: [thinking('Two and')] }),
      delta({ content: [thinking(' two.'), said('Fo')] }),
      delta({ content: 'ur, of \\"type\\": number' }, 'stop'),
    ].map((frame) => Buffer.from(stream.push(Buffer.from(frame))).toString());
    const deltas = told.map((frame) => JSON.parse(frame.slice(6)).choices[0].delta);
    expect(deltas).toEqual([
      { role: 'assistant', reasoning_content: 'Two and' },
      { content: 'Fo', reasoning_content: ' two.' },
      { content: 'ur, of \\"type\\": number' },
    ]);
    const whole = (content: unknown) => ({
      choices: [{ message: { role: 'assistant', content } }],
      usage: null,
    });
    const answerTo = (content: unknown) =>
      JSON.parse(passthrough.readAnswer(JSON.stringify(whole(content)), request()).body).choices[0].message;
    expect(answerTo([thinking('Hm.'), said('Fo'), said('ur')])).toEqual({
      ...{ role: 'assistant', content: 'Four', reasoning_content: 'Hm.' },
    });
    expect(answerTo([thinking('Hm.')])).toMatchObject({ content: '', reasoning_content: 'Hm.' });
    expect(answerTo('Four')).toEqual({ role: 'assistant', content: 'Four' });
  });
});
