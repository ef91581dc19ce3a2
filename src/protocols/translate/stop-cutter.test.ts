import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { converseFrame } from '../converse/frame.ts';
import { converseUpstream } from '../converse/protocol.ts';
import { googleUpstream } from '../google/protocol.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { readMessagesRequest } from '../messages/request.ts';
import type { EventReader } from '../protocol.ts';
import { chatFrames, delta } from '../testing/frames.ts';
import type { TurnEvent } from '../turn/events.ts';
import { CuttingReader, cutChoice } from './stop-cutter.ts';
import { translate } from './translate.ts';

/** Reads one text in the pieces that it is handed, with a call of a tool behind it. */
class PieceReader implements EventReader {
  isComplete = false;
  isEnded = false;
  readonly complaint = null;

  read(data: string, events: TurnEvent[]): void {
    if (data !== 'END') {
      events.push({ type: 'delta', choice: 0, block: 0, kind: 'text', text: data });
      return;
    }
    events.push(
      { type: 'close', choice: 0, block: 0 },
      { type: 'open', choice: 0, block: 1, head: { kind: 'tool_use', id: 'c', name: 'f' } },
      { type: 'close', choice: 0, block: 1 },
      { type: 'stop', choice: 0, stop: { reason: 'tool_use' } },
      { type: 'end' },
    );
    this.isComplete = true;
  }

  finish(): void {}
}

function stream(pieces: readonly string[], sequences: readonly string[]): TurnEvent[] {
  const reader = new CuttingReader(new PieceReader(), sequences);
  const events: TurnEvent[] = [{ type: 'open', choice: 0, block: 0, head: { kind: 'text' } }];
  for (const piece of [...pieces, 'END']) reader.read(piece, events);
  reader.finish(events);
  expect(reader.isComplete).toBe(true);
  return events;
}

const textOf = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
const stopOf = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'stop' ? [event.stop] : []));

/** Few letters, so that sequences are met, nearly met, and met across pieces. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
const sequences = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 3,
});

describe('an answer whose upstream does not stop', () => {
  const user = { role: 'user', content: 'Count.' };
  const whole = (content: string) =>
    JSON.stringify({ id: 'a', choices: [{ message: { content }, finish_reason: 'stop' }] });

  test('is cut here where the model refuses stop sequences', () => {
    const translator = translate({ client: messagesClient, upstream: chatUpstream() });
    const request = readMessagesRequest(
      JSON.stringify({ model: 'm', max_tokens: 9, messages: [user], stop_sequences: ['three'] }),
    );
    expect(JSON.parse(translator.writeRequest(request, 'gpt-5-mini'))).not.toHaveProperty('stop');
    expect(JSON.parse(translator.writeRequest(request, 'gpt-4o'))['stop']).toEqual(['three']);
    expect(JSON.parse(translator.readAnswer(whole('one two three four'), request).body)).toMatchObject({
      content: [{ text: 'one two ' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'three',
    });
    const stream = translator.openStream(request);
    const out = stream.push(
      Buffer.from(
        chatFrames(delta({ content: 'one two thr' }), delta({ content: 'ee four' }), delta({}, 'stop')),
      ),
    );
    const told = Buffer.from(out).toString() + Buffer.from(stream.end()).toString();
    expect(told).not.toContain('thr"');
    expect(told).not.toContain('four');
  });

  test('is paid for as a whole, and is heard to go on behind the cut', () => {
    const translator = translate({ client: messagesClient, upstream: chatUpstream() });
    const request = readMessagesRequest(
      JSON.stringify({ model: 'gpt-5-mini', max_tokens: 9, messages: [user], stop_sequences: ['three'] }),
    );
    expect(translator.readAnswer(whole('one two three four'), request).generated).toBe('one two three four');
    const stream = translator.openStream(request);
    const push = (content: string) => stream.push(Buffer.from(chatFrames(delta({ content }))));
    push('one two three');
    expect(stream.generatedCharacters).toBe('one two three'.length);
    expect(push(' four')).toHaveLength(0);
    expect(stream.generatedCharacters).toBe('one two three four'.length);
    expect(stream.sampleGenerated().texts.join('')).toBe('one two three four');
  });

  test('is cut here where there are more than the upstream takes', () => {
    const translator = translate({ client: chatClient(), upstream: googleUpstream });
    const answer = JSON.stringify({
      candidates: [{ content: { parts: [{ text: 'one six two' }] }, finishReason: 'STOP' }],
    });
    const stop = ['a1', 'a2', 'a3', 'a4', 'a5', 'six'];
    const asked = (most: number) =>
      readChatRequest(JSON.stringify({ model: 'm', messages: [user], stop: stop.slice(-most) }));
    const textOf = (most: number) =>
      JSON.parse(translator.readAnswer(answer, asked(most)).body).choices[0].message.content;
    expect(textOf(6)).toBe('one ');
    expect(textOf(5)).toBe('one six two');
  });
});

describe('stop sequences', () => {
  const asked = (...stop_sequences: readonly string[]) =>
    readMessagesRequest(
      JSON.stringify({
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'Go.' }],
        stop_sequences,
      }),
    );
  const toChat = translate({ client: messagesClient, upstream: chatUpstream() });
  const answer = JSON.stringify({
    choices: [{ message: { content: 'one\ntwo END' }, finish_reason: 'stop' }],
  });

  test('that are empty end nothing, and are not sent on', () => {
    expect(JSON.parse(toChat.writeRequest(asked('', 'END'), 'gpt-4o'))['stop']).toEqual(['END']);
    expect(JSON.parse(toChat.writeRequest(asked(''), 'gpt-4o'))).not.toHaveProperty('stop');
    expect(JSON.parse(toChat.readAnswer(answer, asked('')).body)).toMatchObject({
      content: [{ text: 'one\ntwo END' }],
      stop_reason: 'end_turn',
    });
  });

  test('that would be looked for in each piece are bounded in number and length', () => {
    const refused = expect.objectContaining({ code: 'invalid_parameter', param: 'stop' });
    const write = (...sequences: readonly string[]) => toChat.writeRequest(asked(...sequences), 'gpt-4o');
    const many = Array.from({ length: 65 }, (_, at) => `s${at}`);
    expect(() => write(...many)).toThrow(refused);
    expect(() => write('x'.repeat(1001))).toThrow(refused);
    expect(() => write(...many.slice(1), 'x')).toThrow(refused);
    expect(write(...many.slice(2), 'x'.repeat(1000))).toContain('"stop"');
    // Claude meets them itself, however many.
    const toClaude = translate({ client: chatClient(), upstream: messagesUpstream });
    const chat = readChatRequest(
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Go.' }], stop: many }),
    );
    expect(JSON.parse(toClaude.writeRequest(chat, 'claude-x'))['stop_sequences']).toEqual(many);
  });

  test.each([
    ['Claude', messagesUpstream, { content: [{ type: 'text', text: 'one\ntwo' }], stop_reason: 'end_turn' }],
    [
      'Bedrock',
      converseUpstream(),
      { output: { message: { role: 'assistant', content: [{ text: 'one\ntwo' }] } }, stopReason: 'end_turn' },
    ],
  ])('of blanks alone, which %s refuses, cut the answer here', (_name, upstream, said) => {
    const translator = translate({ client: chatClient(), upstream });
    const chat = readChatRequest(
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Go.' }], stop: ['\n', 'END'] }),
    );
    expect(translator.writeRequest(chat, 'claude-x')).toContain('["END"]');
    const { choices } = JSON.parse(translator.readAnswer(JSON.stringify(said), chat).body);
    expect(choices[0]).toMatchObject({ message: { content: 'one' }, finish_reason: 'stop' });
  });
});

describe('an upstream that fails behind the cut', () => {
  const user = { role: 'user', content: 'Count.' };
  const request = readMessagesRequest(
    JSON.stringify({ model: 'm', max_tokens: 9, messages: [user], stop_sequences: ['three'], stream: true }),
  );
  const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
  const counted = { usage, choices: [{ index: 0, delta: { content: 'one two three' } }] };
  const converse = (name: string, payload: object) => converseFrame(name, JSON.stringify(payload));
  const said = (text: string) => converse('contentBlockDelta', { contentBlockIndex: 0, delta: { text } });
  const upstreams = {
    'chat completions': [
      chatUpstream(),
      chatFrames(counted, delta({ content: ' four' })),
      chatFrames({ error: { message: 'busy', code: 503 } }),
    ],
    Converse: [
      converseUpstream(),
      converse('messageStart', { role: 'assistant' }) + said('one two thr') + said('ee four'),
      converse('exception', { type: 'modelStreamErrorException', message: 'busy' }),
    ],
  } as const;
  const cases = Object.entries(upstreams).flatMap(([name, [upstream, sound, fault]]) => [
    { name, how: 'with an error', upstream, frames: [sound, fault] },
    { name, how: 'with its connection', upstream, frames: [sound] },
  ]);

  test.each(cases)('takes nothing from the answer: $name, $how', ({ upstream, frames }) => {
    // Their models take no stop sequences, or not so many.
    const cut = { ...upstream, stopSequences: 'none' } as const;
    const stream = translate({ client: messagesClient, upstream: cut }).openStream(request);
    let told = '';
    for (const frame of frames) told += Buffer.from(stream.push(Buffer.from(frame))).toString();
    expect([stream.isComplete, stream.complaint]).toEqual([true, null]);
    // What was counted before is not all of it.
    expect(stream.usage).toBeNull();
    told += Buffer.from(stream.end()).toString();
    expect(told).toContain('"stop_reason":"stop_sequence","stop_sequence":"three"');
    expect(told.match(/event: message_stop/g)).toHaveLength(1);
    expect(told).not.toContain('four');
  });

  test('is told where no sequence was met', () => {
    const cut = { ...chatUpstream(), stopSequences: 'none' } as const;
    const stream = translate({ client: messagesClient, upstream: cut }).openStream(request);
    stream.push(
      Buffer.from(chatFrames(delta({ content: 'one two thr' }), { error: { message: 'busy', code: 503 } })),
    );
    expect(stream.complaint).toMatchObject({ message: 'busy' });
    expect(stream.isComplete).toBe(false);
  });
});

describe('an answer that is cut at a stop sequence', () => {
  test('waits for exactly what could begin a sequence', () => {
    fc.assert(
      fc.property(letters, sequences, (text, stops) => {
        if (stops.some((stop) => text.includes(stop))) return;
        const reader = new CuttingReader(new PieceReader(), stops);
        const events: TurnEvent[] = [];
        if (text !== '') reader.read(text, events);
        const waiting = text.length - textOf(events).length;
        const couldBegin = (length: number) =>
          stops.some((stop) => length < stop.length && text.endsWith(stop.slice(0, length)));
        const longest = [...text].reduce((most, _, at) => (couldBegin(at + 1) ? at + 1 : most), 0);
        expect(waiting).toBe(longest);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the logprobs of text that waited', () => {
    const logprobs = [{ token: 'a', logprob: -1, bytes: null, top: [] }];
    const reader = new CuttingReader(
      {
        isComplete: false,
        isEnded: false,
        complaint: null,
        read: (text, events) =>
          events.push({ type: 'delta', choice: 0, block: 0, kind: 'text', text, logprobs }),
        finish: (events) => events.push({ type: 'close', choice: 0, block: 0 }),
      },
      ['ab'],
    );
    const events: TurnEvent[] = [];
    for (const text of ['a', 'c', 'a']) reader.read(text, events);
    reader.finish(events);
    const told = events.flatMap((event) => (event.type === 'delta' ? (event.logprobs ?? []) : []));
    expect(told).toHaveLength(3);
    expect(textOf(events)).toBe('aca');
  });

  test('is the same whole and in any pieces', () => {
    fc.assert(
      fc.property(fc.array(letters.filter((piece) => piece !== '')), sequences, (pieces, stops) => {
        const text = pieces.join('');
        const whole = cutChoice({ content: [{ type: 'text', text }], stop: { reason: 'tool_use' } }, stops);
        const events = stream(pieces, stops);
        const [block] = whole.content;
        expect(textOf(events)).toBe(block?.type === 'text' ? block.text : '');
        expect(stopOf(events)).toEqual([whole.stop]);
        const isCut = whole.stop.reason === 'stop_sequence';
        expect(stops.some((stop) => text.includes(stop))).toBe(isCut);
        expect(events.filter(({ type }) => type === 'open')).toHaveLength(isCut ? 1 : 2);
        expect(events.filter(({ type }) => type === 'close')).toHaveLength(isCut ? 1 : 2);
        expect(events.at(-1)).toEqual({ type: 'end' });
      }),
    );
  });

  test('shows what cannot be the beginning of a sequence at once', () => {
    const reader = new CuttingReader(new PieceReader(), ['###']);
    const events: TurnEvent[] = [];
    reader.read('one #', events);
    expect(textOf(events)).toBe('one ');
    reader.read('two', events);
    expect(textOf(events)).toBe('one #two');
  });

  test('keeps thinking in front of it, and names the sequence', () => {
    const cut = cutChoice(
      {
        content: [
          { type: 'thinking', text: 'hm STOP' },
          { type: 'text', text: 'yes STOP no' },
        ],
        stop: { reason: 'end' },
      },
      ['STOP'],
    );
    expect(cut).toEqual({
      content: [
        { type: 'thinking', text: 'hm STOP' },
        { type: 'text', text: 'yes ' },
      ],
      stop: { reason: 'stop_sequence', sequence: 'STOP' },
    });
  });

  test('keeps images, and the logprobs of what is left', () => {
    const logprob = (token: string) => ({ token, logprob: -0.5, bytes: null, top: [] });
    const images = [{ kind: 'base64', mediaType: 'image/png', data: 'AAAA' }] as const;
    const cut = cutChoice(
      {
        content: [{ type: 'text', text: 'yes STOP no' }],
        stop: { reason: 'end' },
        logprobs: ['yes', ' STOP', ' no'].map(logprob),
        images,
      },
      ['STOP'],
    );
    // The token that the text ends in is told whole.
    expect(cut).toMatchObject({ logprobs: [{ token: 'yes' }, { token: ' STOP' }], images });
  });
});
