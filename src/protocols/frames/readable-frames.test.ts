import { describe, expect, test } from 'bun:test';
import { FrameTooLargeError } from '../../base/sse.ts';
import { ReadableFrames } from './readable-frames.ts';

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

test('a frame beyond the bound is no frame', () => {
  expect(() => open().frames.push(Buffer.alloc(1001, 'a'), false)).toThrow(FrameTooLargeError);
});
