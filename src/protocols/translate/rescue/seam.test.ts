import { describe, expect, test } from 'bun:test';
import { chatClient, chatUpstream } from '../../chat-completions/protocol.ts';
import { googleUpstream } from '../../google/protocol.ts';
import { chatFrames, delta } from '../../testing/frames.ts';
import type { TurnEvent } from '../../turn/events.ts';
import { ConvertedStream } from '../converted-stream.ts';
import { openReader } from '../translate.ts';
import { ContinuingReader } from './continuing-reader.ts';
import { lastWords, Seam } from './seam.ts';

const story = 'The lamps were lit, and the street below was quiet again for the first time that ';
const rest = 'night. Nobody spoke.';

/** What the client gets of an answer that comes in pieces of so many characters. */
function join(shown: string, by: 'prefill' | 'repetition' | 'beginning', answer: string, size: number) {
  const seam = new Seam(shown, by);
  let out = '';
  for (let at = 0; at < answer.length; at += size) out += seam.push(answer.slice(at, at + size));
  return { text: out + seam.end(), state: seam.state };
}

test('what is repeated before the seam, and thought again, counts as generated', () => {
  const words = lastWords(story);
  const request = { model: 'm', stream: true, wantsStreamUsage: false, json: {}, text: '{}' };
  const pair = { client: chatClient(), upstream: chatUpstream() };
  const reader = new ContinuingReader(openReader(pair, request), { shown: story, by: 'repetition' });
  const push = (...deltas: readonly object[]) =>
    stream.push(Buffer.from(chatFrames(...deltas.map((one) => delta(one)))));
  let written = '';
  const write = (event: TurnEvent) => {
    if (event.type === 'delta') written += event.text;
    return '';
  };
  const stream = new ConvertedStream({ reader, writer: { write }, writeId: (id) => id });
  push({ reasoning_content: 'So I go on.' }, { content: `${words} ` });
  expect(written).toBe('');
  expect(stream.generatedCharacters).toBe('So I go on.'.length + words.length + 1);
  push({ content: rest });
  expect(written).toBe(rest);
  expect(stream.sampleGenerated()).toMatchObject({
    texts: [`So I go on.${words} ${rest}`],
    showsThoughts: true,
  });
});

test('what stands behind a stop sequence that is cut here counts once, with what was repeated', () => {
  const words = lastWords(story);
  const request = {
    ...{ model: 'm', stream: true, wantsStreamUsage: false, text: '{}' },
    json: {
      model: 'm',
      messages: [{ role: 'user', content: 'Go on.' }],
      stop: ['1', '2', '3', '4', '5', 'END'],
    },
  };
  const cutting = openReader({ client: chatClient(), upstream: googleUpstream }, request);
  const reader = new ContinuingReader(cutting, { shown: story, by: 'repetition' });
  const stream = new ConvertedStream({ reader, writer: { write: () => '' }, writeId: (id) => id });
  const push = (text: string) =>
    stream.push(
      Buffer.from(`data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }] })}\n\n`),
    );
  push(`${words} ${rest}END`);
  push(' and more');
  expect(stream.sampleGenerated().texts.join('')).toBe(`${words} ${rest}END and more`);
});

describe.each([1, 2, 7, 1000])('in pieces of %i', (size) => {
  test('what goes on from a prefill is joined as it comes', () => {
    expect(join(story, 'prefill', rest, size)).toEqual({ text: rest, state: 'joined' });
    expect(join(story, 'prefill', ` ${rest}`, size)).toEqual({ text: rest, state: 'joined' });
    expect(join('Foo', 'prefill', 'bar', size)).toEqual({ text: 'bar', state: 'joined' });
  });

  test('a host that repeats the prefill says nothing twice', () => {
    expect(join(story, 'prefill', story + rest, size)).toEqual({ text: rest, state: 'joined' });
    const alike = 'The lamps were lit, and then';
    expect(join(story, 'prefill', alike, size)).toEqual({ text: alike, state: 'joined' });
    expect(join(story, 'prefill', 'The lamps', size)).toEqual({ text: 'The lamps', state: 'joined' });
  });

  test('the repeated words are left out, however they are spaced', () => {
    const words = lastWords(story);
    for (const repeated of [words, `\n${words}`, words.replaceAll(' ', '\n'), words.replaceAll(' ', '  ')]) {
      expect(join(story, 'repetition', `${repeated} ${rest}`, size)).toEqual({ text: rest, state: 'joined' });
    }
    // In the middle of a word.
    const cut = `${story}ni`;
    expect(join(cut, 'repetition', `${lastWords(cut)}ght.`, size)).toEqual({ text: 'ght.', state: 'joined' });
    expect(join('A b', 'repetition', 'A b c', size)).toEqual({ text: ' c', state: 'joined' });
  });

  test('an answer that begins anew goes on behind what it repeats', () => {
    const long = story.repeat(9);
    expect(join(long, 'repetition', long + rest, size)).toEqual({ text: rest, state: 'joined' });
  });

  test('what does not repeat the words is apart, and nothing of it is told', () => {
    for (const other of [
      rest,
      'Certainly! Here is the rest',
      lastWords(story).slice(0, 20),
      `"${story}`,
      '',
    ]) {
      expect(join(story, 'repetition', other, size)).toEqual({ text: '', state: 'apart' });
    }
  });

  test('spaces that the client has are not told again', () => {
    expect(join('one\n\n', 'prefill', '\n\ntwo', size).text).toBe('two');
    expect(join('one\n\n', 'prefill', '\n  two', size).text).toBe('  two');
    expect(join('one\n\n', 'prefill', 'two', size).text).toBe('two');
    expect(join('  ', 'beginning', ' two', size).text).toBe('two');
  });
});

test('the last words are whole, stand once, and are cut between no two halves of a character', () => {
  expect(story.trim()).toEndWith(lastWords(story));
  expect(lastWords(story).length).toBeLessThanOrEqual(80);
  expect(lastWords('short')).toBe('short');
  const twice = `${'tick tock '.repeat(12)}and again ${'tick tock '.repeat(12)}`;
  expect(twice.indexOf(lastWords(twice))).toBe(twice.trim().length - lastWords(twice).length);
  const faces = '😀'.repeat(300);
  expect(lastWords(faces).isWellFormed()).toBe(true);
  expect(lastWords(`x${faces}`).isWellFormed()).toBe(true);
});

test('a long answer that repeats for ever is looked at once', () => {
  const seam = new Seam('ab'.repeat(200_000), 'repetition');
  for (let piece = 0; piece < 40_000; piece += 1) seam.push('abababababab');
  expect(seam.state).toBe('joined');
});
