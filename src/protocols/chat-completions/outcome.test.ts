import { describe, expect, test } from 'bun:test';
import { delta } from '../testing/frames.ts';
import { ComplaintError } from '../translator.ts';
import type { TurnEvent } from '../turn/events.ts';
import { readChatAnswer } from './answer.ts';
import { readChunkUsage } from './outcome.ts';
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

describe('counts', () => {
  const read = (usage: object) =>
    readChunkUsage({ usage: { prompt_tokens: 2006, completion_tokens: 300, ...usage } });

  test.each([
    [
      'OpenRouter and OpenAI',
      { prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 1000 } },
      1000,
      0,
    ],
    ['LiteLLM', { prompt_tokens_details: { cached_tokens: 6, cache_creation_tokens: 1000 } }, 1000, 0],
    [
      'LiteLLM before',
      { prompt_tokens_details: { cached_tokens: 6 }, cache_creation_input_tokens: 1000 },
      ...([1000, 0] as const),
    ],
    [
      'LiteLLM, some for an hour',
      {
        prompt_tokens_details: {
          cached_tokens: 6,
          cache_creation_tokens: 1000,
          cache_creation_token_details: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 700 },
        },
      },
      ...([300, 700] as const),
    ],
  ] as const)('of cache writes stand where %s puts them', (_, usage, forMinutes, forAnHour) => {
    expect(read(usage)).toMatchObject({
      ...{ inputTokens: 1000, cacheReadTokens: 6 },
      ...{ cacheWrite5mTokens: forMinutes, cacheWrite1hTokens: forAnHour },
    });
  });

  test('of images that the model made are told by themselves, as OpenRouter does', () => {
    const usage = { completion_tokens_details: { reasoning_tokens: 0, image_tokens: 290, audio_tokens: 0 } };
    expect(read(usage)).toMatchObject({ outputTokens: 300, extras: { image_output: 290 } });
  });

  test('of nothing but zeros are none, unless something beside them was used', () => {
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    expect(readChunkUsage({ usage: zeros })).toBeNull();
    const searched = { ...zeros, server_tool_use: { web_search_requests: 1 } };
    expect(readChunkUsage({ usage: searched })).toMatchObject({ outputTokens: 0, extras: { web_search: 1 } });
  });
});
