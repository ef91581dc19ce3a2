/** Stop sequences of clients over an upstream whose protocol has none: the gateway cuts the answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

const model = usualModel.id;

describe('stop sequences over responses', () => {
  let sluice: TestSluice;

  beforeAll(async () => {
    sluice = await startTestSluice({
      file: (url) => ({
        providers: [{ ...usualProvider(url), settings: { protocols: ['responses'] } }],
        models: [usualModel],
      }),
    });
  });
  afterAll(() => sluice.stop());
  beforeEach(() => sluice.upstream.forget());

  /** In words of one token each: the sequence begins inside one and ends inside the next. */
  const text = 'alpha beta gamma delta';
  const stop = 'ta ga';
  const messages = [{ role: 'user' as const, content: 'Count.' }];

  const expectCut = async (stream: boolean) => {
    const { body, usage } = sluice.upstream.requests.at(-1) ?? {};
    expect(body).not.toHaveProperty('stop');
    // The upstream said it all, and is paid for it all.
    expect(usage?.completionTokens).toBe(4);
    expect((await sluice.usage()).at(-1)).toMatchObject({
      outputTokens: 4,
      streamed: stream,
      outcome: 'complete',
    });
  };

  test.each([false, true])('of chat completions (streamed: %p)', async (stream) => {
    sluice.upstream.enqueue({ generate: { text } });
    const { completions } = sluice.client().chat;
    const body = { model, messages, stop: ['nowhere', stop] };
    const completion = stream
      ? await completions.stream(body).finalChatCompletion()
      : await completions.create(body);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'alpha be' },
    });
    await expectCut(stream);
  });

  test.each([false, true])('of messages, which say which one it was (streamed: %p)', async (stream) => {
    sluice.upstream.enqueue({ generate: { text } });
    const body = { model, max_tokens: 100, messages, stop_sequences: ['nowhere', stop], stream };
    const response = await sluice.post('/v1/messages', body);
    const answer = await response.text();
    expect(answer).toContain('"stop_reason":"stop_sequence"');
    expect(answer).toContain(`"stop_sequence":"${stop}"`);
    const said = answer.matchAll(/"text":"([^"]*)"/g);
    expect([...said].map((match) => match[1]).join('')).toBe('alpha be');
    await expectCut(stream);
  });

  test.each([false, true])('that are not met change nothing (streamed: %p)', async (stream) => {
    sluice.upstream.enqueue({ generate: { text: `${text} al` } });
    const { completions } = sluice.client().chat;
    const body = { model, messages, stop: 'alps' };
    const completion = stream
      ? await completions.stream(body).finalChatCompletion()
      : await completions.create(body);
    expect(completion.choices[0]?.message.content).toBe(`${text} al`);
    expect(completion.choices[0]?.finish_reason).toBe('stop');
  });
});
