import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { GeneratedEvents, GeneratedText, generatedTextIn } from './generated-text.ts';

const frameOf = (content: string): Buffer =>
  Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`);

describe('a sample of what was generated', () => {
  test('is all of it while it is short', () => {
    const text = new GeneratedText(50);
    for (const word of ['One ', 'two ', '三']) text.add(frameOf(word));
    expect(text.sample()).toEqual({ texts: ['One two 三'], times: 1, showsThoughts: false });
    const events = new GeneratedEvents();
    for (const word of ['One ', 'two ', '三']) events.add(word);
    expect(events.sample()).toEqual({ texts: ['One two 三'], times: 1, showsThoughts: false });
  });

  test.each([1000, 20_000, 200_000])(
    'of %d frames is bounded, even, and tells how much there was',
    (count) => {
      const text = new GeneratedText(50);
      for (let at = 0; at < count; at += 1) text.add(frameOf(`${at} `));
      const { texts, times } = text.sample();
      const kept = texts.join('').trim().split(' ').map(Number);
      expect(kept.length).toBeLessThan(2500);
      expect(kept.length * times).toBeWithin(count * 0.9, count * 1.1);
      const middle = kept.reduce((sum, at) => sum + at, 0) / kept.length;
      expect(middle / count).toBeWithin(0.3, 0.7);
    },
  );

  test('of blocks that waited for a slow client is the same as of frames', () => {
    const text = new GeneratedText(50);
    const frames = Buffer.concat(Array.from({ length: 500 }, () => frameOf('tide ')));
    text.add(frames);
    expect(text.sample()).toEqual({ texts: ['tide '.repeat(500)], times: 1, showsThoughts: false });
    for (let block = 1; block < 40; block += 1) text.add(frames);
    const { texts, times } = text.sample();
    expect(texts.join('').length).toBeLessThan(20_000);
    expect(texts.join('').length * times).toBeWithin(99_000, 101_000);
  });

  test.each([
    ['data: {"choices":[{"delta":{"reasoning_content":"Well"}}]}', true],
    ['data: {"choices":[{"delta":{"reasoning":""}}]}', false],
    ['data: {"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Well"}}', true],
    ['data: {"type":"response.reasoning_text.delta","delta":"Well"}', true],
    ['data: {"choices":[{"delta":{"content":"\\"reasoning\\": \\"x\\""}}]}', false],
  ])('of %s shows thoughts: %p', (frame, isShown) => {
    const text = new GeneratedText(50);
    text.add(Buffer.from(`${frame}\n\n`));
    expect(text.sample().showsThoughts).toBe(isShown);
    const events = new GeneratedEvents();
    events.add('Well', isShown);
    events.add('Hello');
    expect(events.sample().showsThoughts).toBe(isShown);
  });

  test('is measured by the frames that were counted before', () => {
    const envelope = frameOf('').length;
    const text = new GeneratedText(envelope);
    const looksLikeFrames = 'data: '.repeat(20);
    text.add(frameOf(looksLikeFrames), undefined, 1);
    expect(text.characters).toBe(looksLikeFrames.length);
    text.add(Buffer.concat([frameOf('four'), frameOf('five')]), undefined, 2);
    expect(text.characters).toBe(looksLikeFrames.length + 8);
  });

  test('keeps nothing of a large block but its part of it', () => {
    const frames = Buffer.concat(Array.from({ length: 50_000 }, () => frameOf('tide ')));
    const kept = () => {
      Bun.gc(true);
      return heapStats().extraMemorySize;
    };
    let before = kept();
    // What the tests before have left is gone only once it falls no further.
    for (let next = kept(); next < before; next = kept()) before = next;
    const texts = Array.from({ length: 10 }, () => {
      const text = new GeneratedText(50);
      text.add(Buffer.from(frames));
      return text;
    });
    // Some may seem to be in use by what is left on the stack; each that were kept would be ten.
    expect(kept() - before).toBeLessThan(frames.length * 5);
    expect(texts.map((text) => text.sample().times > 1)).toEqual(texts.map(() => true));
  });

  test('leaves out a frame that holds a file', () => {
    const text = new GeneratedText(50);
    text.add(frameOf('Look: '));
    text.add(frameOf('A'.repeat(1_000_000)));
    expect(text.sample()).toEqual({ texts: ['Look: '], times: 1, showsThoughts: false });
  });
});

describe('the text in an answer', () => {
  test.each([
    [
      'chat completions',
      {
        content: 'a',
        reasoning_content: 'b',
        tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{}' } }],
      },
      'abf{}',
    ],
    [
      'messages',
      [
        { type: 'thinking', thinking: 'a', signature: 'x' },
        { type: 'tool_use', id: 'x', name: 'f', input: { b: 1 } },
      ],
      'af{"b":1}',
    ],
    [
      'responses',
      [
        {
          type: 'message',
          id: 'x',
          content: [{ type: 'output_text', text: 'a', annotations: [{ text: 'x' }] }],
        },
      ],
      'a',
    ],
    [
      'generateContent',
      {
        parts: [{ text: 'a' }, { functionCall: { name: 'f', args: { b: 1 } } }],
        groundingMetadata: { text: 'x' },
      },
      'af{"b":1}',
    ],
  ])('of %s', (_, answer, text) => {
    expect(generatedTextIn(answer)).toBe(text);
  });

  test('is not looked for deeper than any answer is', () => {
    let deep: unknown = { content: 'a' };
    for (let level = 0; level < 50_000; level += 1) deep = { content: deep };
    expect(generatedTextIn(deep)).toBe('');
    expect(generatedTextIn({ input: deep })).toBe('');
  });
});
