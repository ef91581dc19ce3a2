import { describe, expect, test } from 'bun:test';
import { FrameSplitter, FrameTooLargeError } from '../../base/sse.ts';
import { memberName } from './frame-bytes.ts';
import { closingBlock, ReadableFrames } from './readable-frames.ts';
import { RepeatedFrames } from './repeated-frames.ts';

function open() {
  let told = 0;
  const frames = new ReadableFrames(1000, () => {
    told += 1;
  });
  return { frames, told: () => told };
}

const chunk = (text: string) => `data: {"choices":[{"delta":{"content":${JSON.stringify(text)}}}]}\n\n`;
const spoilt = [
  'data: {"choices":[{"del\n\n',
  'data: not json\n\n',
  'event: message\ndata: <html></html>\n\n',
  'data: {not: "json"}\n\n',
  'data: {"choices":[{"delta":{"content":"a"}}]\n\n',
  'data: {"choices": }\n\n',
  'data: {"a":1\ndata: ,}\n\n',
];

describe.each([true, false])('frames that are no JSON (each frame parsed: %p)', (isExact) => {
  test.each(spoilt)('%j is dropped and counted, wherever the packets are cut', (frame) => {
    const sound = [chunk('a'), ': comment\n\n', chunk('}]}'), 'data: [DONE]\n\n'];
    const bytes = Buffer.from(chunk('0') + sound[0] + frame + sound.slice(1).join(''));
    for (let size = 1; size <= bytes.length; size += 1) {
      const { frames, told } = open();
      let out = '';
      for (let at = 0; at < bytes.length; at += size) {
        out += frames.push(bytes.subarray(at, at + size), isExact).toString();
      }
      expect(out).toBe(chunk('0') + sound.join(''));
      expect([frames.unreadable, told(), frames.isSpoilt]).toEqual([1, 1, false]);
    }
  });

  const pieces: readonly (readonly [string, string])[] = [
    [
      'chat completions',
      '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"a"}}]}}]}',
    ],
    ['the end of a call', '{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}'],
    ['older hosts', '{"choices":[{"delta":{"function_call":{"arguments":"{"}}}]}'],
    [
      'messages',
      '{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}',
    ],
    [
      'the beginning of a call',
      '{"type":"content_block_start","content_block":{"type":"tool_use","id":"t"}}',
    ],
    ['responses', '{"type":"response.function_call_arguments.delta","delta":"{"}'],
    ['Gemini', '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]}'],
    ['Converse', '{"contentBlockDelta":{"delta":{"toolUse":{"input":"{"}}}}'],
    [
      'Cohere',
      '{"type":"tool-call-delta","delta":{"message":{"tool_calls":{"function":{"arguments":"{"}}}}}',
    ],
  ];
  test.each(pieces)('one beside a piece of a call spoils the stream: %s', (_name, json) => {
    const piece = `data: ${json}\n\n`;
    const bad = 'data: {"spoilt\n\n';
    for (const [text, kept] of [
      [chunk('a') + piece + bad + piece, chunk('a') + piece],
      [chunk('a') + bad + piece + chunk('b'), chunk('a')],
      [chunk('a') + piece + bad + chunk('b'), chunk('a') + piece],
    ] as const) {
      for (const size of [1, 50, text.length]) {
        const { frames } = open();
        const bytes = Buffer.from(text);
        let out = '';
        for (let at = 0; at < bytes.length; at += size) {
          out += frames.push(bytes.subarray(at, at + size), isExact).toString();
        }
        expect([out, frames.isSpoilt]).toEqual([kept, true]);
      }
    }
  });

  test.each([
    ['pings', 'event: ping\ndata: {"type": "ping"}\n\n'],
    ['pings of one line', 'data: {"type":"ping"}\n\n'],
    ['comments', ': keep-alive\n\n'],
    ['comments that fill a buffer', `:${' '.repeat(200)}\r\n\r\n`],
    ['events without data', 'event: waiting\nid: 1\n\n'],
    ['empty data', 'data:\n\n'],
  ])('%s between it and a piece of a call hide no hole', (_name, idle) => {
    const start = `data: {"type":"content_block_start","content_block":{"type":"tool_use","id":"t"}}\n\n`;
    const piece = `data: {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}\n\n`;
    const text = `data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\n`;
    const bad = 'data: {"type":"content_block_delta","delta":{"type":"input_json_del\n\n';
    for (const [said, kept, isSpoilt] of [
      [start + piece + idle + bad + idle + piece, start + piece + idle, true],
      [text + idle + bad + idle + idle + piece + text, text + idle + idle + idle, true],
      // Those of text stay as harmless as they were.
      [text + idle + bad + idle + text, text + idle + idle + text, false],
    ] as const) {
      for (const size of [1, 50, 5000]) {
        const { frames } = open();
        // Ten more, so that what comes is no longer parsed where it need not be.
        const bytes = Buffer.from((text + idle).repeat(10) + said);
        let out = '';
        for (let at = 0; at < bytes.length; at += size) {
          out += frames.push(bytes.subarray(at, at + size), isExact).toString();
        }
        expect([out, frames.isSpoilt]).toEqual([(text + idle).repeat(10) + kept, isSpoilt]);
      }
    }
  });

  test('text that speaks of calls, and lists of calls that are empty, spoil nothing', () => {
    const { frames } = open();
    const said = chunk('"tool_calls":[{"index":0}] and {"type":"tool_use"}');
    const empty = 'data: {"choices":[{"delta":{"content":"a","tool_calls":[],"function_call":null}}]}\n\n';
    const sound = said + empty;
    expect(frames.push(Buffer.from(`${sound}data: {"x\n\n${sound}`), isExact).toString()).toBe(sound + sound);
    expect(frames.isSpoilt).toBe(false);
  });

  test('the fourth spoils the stream: nothing behind it comes through', () => {
    const { frames, told } = open();
    const bad = 'data: x\n\n';
    expect(frames.push(Buffer.from(bad + chunk('a') + bad + bad), isExact).toString()).toBe(chunk('a'));
    expect(frames.isSpoilt).toBe(false);
    expect(frames.push(Buffer.from(chunk('b') + bad + chunk('c')), isExact).toString()).toBe(chunk('b'));
    expect([frames.isSpoilt, told()]).toEqual([true, 4]);
    expect(frames.push(Buffer.from(chunk('d')), isExact)).toHaveLength(0);
    expect(frames.close()).toHaveLength(0);
  });

  test('what is JSON passes as it is: spaces, several lines, no object, nothing', () => {
    const { frames } = open();
    const text = [
      'data:{ "a" : 1 }',
      'data: {"a":\ndata: 1}',
      'data: []',
      'data: "x"',
      'data:',
      'id: 1',
      'event: x\r\ndata: {}\r',
    ].join('\n\n');
    expect(frames.push(Buffer.from(`${text}\n\r\n`), isExact).toString()).toBe(`${text}\n\r\n`);
    expect(frames.unreadable).toBe(0);
  });
});

describe('how many frames a block has', () => {
  const countOf = (text: string) => {
    const { frames } = open();
    const counts = [true, false].map((isExact) => {
      frames.push(Buffer.from(text), isExact);
      return frames.count;
    });
    expect(new Set(counts).size).toBe(1);
    return counts[0];
  };

  test.each([
    ['one', chunk('a'), 1],
    ['many', chunk('a').repeat(30), 30],
    ['those whose text looks like more', chunk('data: data: ') + chunk('\n\n'), 2],
    ['those of several lines', 'event: x\ndata: {"a":\ndata: 1}\n\n'.repeat(2), 2],
    ['an end', `${chunk('a')}data: [DONE]\n\n`, 2],
  ])('is told: %s', (_name, text, count) => {
    expect(countOf(text)).toBe(count);
  });

  test.each([
    ['a comment', ': waiting\n\n'],
    ['a ping', 'data: {"type":"ping"}\n\n'],
    ['no data', 'data:\n\n'],
    ['a frame that was dropped', 'data: {"x\n\n'],
  ])('is not told where it has %s', (_name, odd) => {
    expect(countOf(chunk('a') + odd + chunk('b'))).toBeUndefined();
  });

  test('is not told of what is left at the end', () => {
    const { frames } = open();
    frames.push(Buffer.from(`${chunk('a')}data: [DONE]`), false);
    expect(frames.count).toBe(1);
    expect(frames.close()).not.toHaveLength(0);
    expect(frames.count).toBeUndefined();
  });
});

describe('frames that repeat one of the stream', () => {
  const callOf = (args: string) =>
    `data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":${JSON.stringify(args)}}}]}}]}\n\n`;
  const bad = 'data: {"spoilt\n\n';

  /** Has read these, and knows the last of them. */
  function after(text: string) {
    const { frames } = open();
    const repeated = new RepeatedFrames({
      holder: memberName('delta'),
      ignored: memberName('role'),
      padding: memberName('obfuscation'),
      isQuiet: () => true,
    });
    repeated.learn(frames.push(Buffer.from(text), true));
    return { frames, push: (more: string) => frames.push(Buffer.from(more), false, repeated).toString() };
  }

  test('pass unread, are counted, and need not come whole', () => {
    const { frames, push } = after(chunk('a'));
    // Nothing but reading it tells that this is no JSON.
    const unread = chunk('b').replace('"b"', '"\\x"');
    expect(push(chunk('c') + unread + chunk('d').slice(0, 20))).toBe(chunk('c') + unread);
    expect(frames.count).toBe(2);
    expect(push(chunk('d').slice(20))).toBe(chunk('d'));
    expect([frames.count, frames.unreadable]).toEqual([1, 0]);
  });

  test('are neighbours of what is dropped like any others', () => {
    const behind = after(callOf('a'));
    expect(behind.push(callOf('b') + callOf('c'))).toBe(callOf('b') + callOf('c'));
    expect(behind.push(bad + chunk('d'))).toBe('');
    expect(behind.frames.isSpoilt).toBe(true);

    const between = after(callOf('a'));
    expect(between.push(chunk('b')) + between.push(callOf('c'))).toBe(chunk('b') + callOf('c'));
    expect(between.push(bad + chunk('d'))).toBe('');
    expect(between.frames.isSpoilt).toBe(true);

    const before = after(callOf('a'));
    expect(before.push(chunk('b') + bad)).toBe(chunk('b'));
    expect(before.frames.isSpoilt).toBe(false);
    expect(before.push(callOf('c'))).toBe('');
    expect(before.frames.isSpoilt).toBe(true);

    const text = after(chunk('a'));
    expect(text.push(chunk('b')) + text.push(bad) + text.push(chunk('c'))).toBe(chunk('b') + chunk('c'));
    expect(text.frames.isSpoilt).toBe(false);
  });

  test('are nothing once the stream is spoilt', () => {
    for (const spoiling of [bad.repeat(4), bad + callOf('b')]) {
      const { frames, push } = after(chunk('a'));
      push(chunk('b') + spoiling);
      expect([push(chunk('c')), frames.count]).toEqual(['', undefined]);
    }
  });
});

test('a frame beyond the bound is no frame', () => {
  expect(() => open().frames.push(Buffer.alloc(1001, 'a'), false)).toThrow(FrameTooLargeError);
});

function closingOf(text: string): string {
  const splitter = new FrameSplitter(1000);
  splitter.push(Buffer.from(text));
  return closingBlock(splitter).toString('utf8');
}

test('a last frame without its blank line is whole when its data is', () => {
  expect(closingOf('data: {"a":1}')).toBe('data: {"a":1}\n\n');
  expect(closingOf('data: 1\n\nevent: x\r\ndata: {"a":\r\ndata: 1}\r\n')).toBe(
    'event: x\r\ndata: {"a":\r\ndata: 1}\r\n\n\n',
  );
  expect(closingOf('data: [DONE]')).toBe('data: [DONE]\n\n');
});

test.each([
  '',
  'data: {"a":1}\n\n',
  'data: {"a":{"b":1}',
  'data: [DON',
  'data:',
  'event: x\nda',
  ': comment',
])('what is left of %j is nothing', (text) => {
  expect(closingOf(text)).toBe('');
});
