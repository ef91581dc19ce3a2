import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { memberName } from './frame-bytes.ts';
import { RepeatedFrames } from './repeated-frames.ts';

const kind = {
  holder: memberName('delta'),
  ignored: memberName('role'),
  padding: memberName('pad'),
  isQuiet: (frame: Buffer) => !frame.includes('"loud"'),
};
const written = (delta: string, behind = '') => `data: {"id":"c","delta":${delta},"end":null${behind}}\n\n`;
const said = (text: string, behind = '') => written(`{"content":${JSON.stringify(text)}}`, behind);
const padded = (text: string, pad: string) => said(text, `,"pad":"${pad}","n":1`);

/** Has learned the last frame of these. */
function after(frames: string): RepeatedFrames {
  const repeated = new RepeatedFrames(kind);
  repeated.learn(Buffer.from(frames));
  return repeated;
}
const countAfter = (frames: string, block: string) => after(frames).count(Buffer.from(block));

describe('a block repeats a frame', () => {
  test('where each of its frames has another text, whatever that is', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1 }), (first, texts) => {
        expect(countAfter(said(first), texts.map((one) => said(one)).join(''))).toBe(texts.length);
      }),
    );
    for (const tricky of ['"', '\\', '\\"', '"},"end":"', '\n\n', '[DONE]', '🌊', 'x'.repeat(10_000)]) {
      expect(countAfter(said('a'), said(tricky) + said('b'))).toBe(2);
    }
  });

  test.each([
    ['thoughts before an empty text', (text: string) => written(`{"thought":"${text}","content":""}`)],
    ['a role before or behind it', (text: string) => written(`{"content":"${text}","role":"assistant"}`)],
    [
      'arguments of a call',
      (text: string) => written(`{"calls":[{"index":0,"function":{"name":"f","arguments":"${text}"}}]}`),
    ],
    ['blanks', (text: string) => `data: {"delta" : { "content" : "${text}", "x" : [1, {}] }, "y": 1}\n\n`],
    ['other line ends', (text: string) => `event: x\r\ndata: {"delta":{"content":"${text}"}}\r\n\r\n`],
    ['padding as long as it likes', (text: string) => padded(text, text.repeat(3))],
  ])('with %s', (_name, frame) => {
    expect(countAfter(frame('a'), frame('bc') + frame('d') + frame('efghi'))).toBe(3);
  });

  test('and the last of several is what the next may repeat', () => {
    expect(countAfter(written('{"role":"assistant"}') + said('a'), said('b'))).toBe(1);
    expect(countAfter(said('a') + written('{"role":"assistant"}'), said('b'))).toBe(0);
  });

  test('also where only a part of the next had come, which completes no block', () => {
    const repeated = after(said('a'));
    expect(repeated.count(Buffer.alloc(0))).toBe(0);
    expect(repeated.count(Buffer.from(said('b')))).toBe(1);
  });
});

describe('a block repeats nothing', () => {
  test.each([
    ['a member more', said('b', ',"error":{}')],
    ['a member less', 'data: {"id":"c","delta":{"content":"b"}}\n\n'],
    ['another value', said('b').replace('null', '"x"')],
    ['another value that is as long', said('b').replace('null', 'true')],
    ['another number of members before it', said('b').replace('"c",', '"c","created":1,')],
    ['no text', said('')],
    ['another name for it', written('{"reasoning":"b"}')],
    ['a member behind its text', written('{"content":"b","refusal":"c"}')],
    ['a member behind a backslash that is escaped', written('{"content":"b\\\\","refusal":"c\\""}')],
    ['a line end in its text', said('b').replace('"b"', '"b\nc"')],
    ['a frame in its text', said('b').replace('"b"', '"b\n\n: c\n\n"')],
    ['a line end that is escaped', said('b').replace('"b"', '"b\\\nc"')],
    ['no end to its text', said('b').slice(0, -30)],
    ['no blank line', said('b').slice(0, -1)],
    ['a comment', ': waiting\n\n'],
    ['nothing', ''],
  ])('where a frame has %s', (_name, odd) => {
    for (const block of [odd, said('b') + odd, said('b') + odd + said('c')]) {
      if (block !== said('b') && block !== said('b') + said('c'))
        expect(countAfter(said('a'), block)).toBe(0);
    }
  });

  test('where its padding is another, or is not there', () => {
    expect(countAfter(padded('a', 'xy'), padded('b', 'z'))).toBe(1);
    for (const odd of [
      said('b'),
      said('b', ',"n":1'),
      padded('b', ''),
      padded('b', 'x').replace('null', 'true'),
      said('b', ',"pad":"x","n":2'),
      said('b', ',"pad":"x","m":"y","n":1'),
      // As if the text were the padding.
      `${said('b').slice(0, said('b').indexOf('"},'))}","n":1}\n\n`,
    ]) {
      expect(countAfter(padded('a', 'xy'), odd)).toBe(0);
      expect(countAfter(padded('a', 'xy'), padded('b', 'x') + odd)).toBe(0);
    }
  });

  test.each([
    ['has what is looked for', said('a', ',"loud":1'), said('b', ',"loud":1')],
    ['is long', said('a', `,"x":"${'y'.repeat(5000)}"`), said('b', `,"x":"${'y'.repeat(5000)}"`)],
    ['has no text', written('{}'), written('{}')],
    ['has a role alone', written('{"role":"assistant"}'), written('{"role":"someone"}')],
    ['has its text elsewhere', 'data: {"content":"a"}\n\n', 'data: {"content":"b"}\n\n'],
  ])('where the frame before it %s', (_name, before, block) => {
    expect(countAfter(before, block)).toBe(0);
  });

  test('before anything was looked at', () => {
    expect(new RepeatedFrames(kind).count(Buffer.from(said('a')))).toBe(0);
  });
});

describe('of a stream', () => {
  const timed = (text: string, second: number) => said(text).replace('"c"', `"c","created":${second}`);

  /** How many of the blocks repeat what was learned, of a stream whose clock goes on after so many. */
  const playTimed = (blocks: number, ofOneSecond: number) => {
    const repeated = new RepeatedFrames(kind);
    const counts = Array.from({ length: blocks }, (_, at) => {
      const block = Buffer.from(timed('a', Math.floor(at / ofOneSecond)));
      const count = repeated.count(block);
      if (count === 0) repeated.learn(block);
      return count;
    });
    return counts.filter((count) => count > 0).length;
  };

  test('frames are learned anew when they change, as long as that pays', () => {
    expect(playTimed(800, 8)).toBe(700);
    expect(playTimed(800, 5)).toBe(640);
    expect(playTimed(800, 2)).toBeWithin(2, 10);
    expect(playTimed(800, 1)).toBe(0);
  });

  test('one that nothing repeats does not take the place of one that is repeated', () => {
    const repeated = after(said('a'));
    const counts = [said('b'), timed('c', 1), timed('d', 2), said('e')].map((frame) => {
      const block = Buffer.from(frame);
      const count = repeated.count(block);
      if (frame === timed('c', 1)) repeated.learn(block);
      return count;
    });
    expect(counts).toEqual([1, 0, 0, 1]);
  });

  test('nothing is expected any more after three blocks in a row that repeat nothing', () => {
    for (const blocks of [2, 3]) {
      const repeated = after(said('a'));
      for (let at = 0; at < 20; at += 1) expect(repeated.count(Buffer.from(said(`b${at}`)))).toBe(1);
      for (let at = 0; at < blocks; at += 1) repeated.learn(Buffer.from(timed('a', at)));
      expect(repeated.count(Buffer.from(said('c')))).toBe(blocks === 2 ? 1 : 0);
    }
  });

  test('what is known of a frame stays, whatever becomes of its bytes', () => {
    const bytes = Buffer.from(said('a'));
    const repeated = new RepeatedFrames(kind);
    repeated.learn(bytes);
    expect(repeated.count(Buffer.from(said('b')))).toBe(1);
    bytes.fill(0);
    expect(repeated.count(Buffer.from(said('c') + said('d')))).toBe(2);
  });
});
