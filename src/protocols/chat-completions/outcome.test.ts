import { describe, expect, test } from 'bun:test';
import { delta } from '../testing/frames.ts';
import { ComplaintError } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { readChatAnswer } from './answer.ts';
import { ChatEventReader } from './read-stream.ts';

const whole =
  (finish_reason: string, choice: object = {}) =>
  () =>
    readChatAnswer({
      id: 'a',
      choices: [{ index: 0, message: { content: 'Half' }, finish_reason, ...choice }],
    });

function streamed(...chunks: readonly object[]) {
  const reader = new ChatEventReader();
  const events: TurnEvent[] = [];
  for (const chunk of [delta({ content: 'Half' }), ...chunks]) reader.read(JSON.stringify(chunk), events);
  return { reader, stops: events.flatMap((event) => (event.type === 'stop' ? [event.stop] : [])) };
}

describe.each(['error', 'insufficient_system_resource', 'network_error'])('the end %s', (reason) => {
  test('is a failure of the host, whole and streamed', () => {
    expect(whole(reason)).toThrow(ComplaintError);
    const { reader, stops } = streamed(delta({}, reason));
    expect(reader.complaint).toMatchObject({ code: reason, message: expect.stringContaining(reason) });
    expect([reader.isComplete, stops]).toEqual([false, []]);
  });

  test('behind an end that was told takes nothing from it', () => {
    const { reader } = streamed(delta({}, 'stop'), delta({}, reason));
    expect([reader.isComplete, reader.complaint]).toEqual([true, null]);
  });
});

test('an error beside the reason says what failed', () => {
  const error = { code: 502, message: 'Provider returned error' };
  const expected = { status: 502, message: 'Provider returned error' };
  const thrown = (() => {
    try {
      return whole('error', { message: { content: '' }, error })();
    } catch (caught) {
      return caught;
    }
  })();
  expect(thrown instanceof ComplaintError && thrown.complaint).toMatchObject(expected);
  const { reader } = streamed({ choices: [{ index: 0, delta: {}, finish_reason: 'error', error }] });
  expect(reader.complaint).toMatchObject(expected);
});

test.each([
  ['sensitive', 'refusal'],
  ['model_context_window_exceeded', 'context_window'],
] as const)('the end %s is a %s', (told, reason) => {
  expect(whole(told)().choices[0]?.stop).toEqual({ reason });
  expect(streamed(delta({}, told)).stops).toEqual([{ reason }]);
});
