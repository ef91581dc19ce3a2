import { describe, expect, test } from 'bun:test';
import { ComplaintError, type InferenceRequest, UnreadableAnswerError } from '../translator.ts';
import { writeThoughtSignature } from './outcome.ts';
import { googlePassthrough } from './passthrough.ts';
import { readGoogleRequest } from './request.ts';
import { call, counts, piece, streamOf } from './testing/pieces.ts';

const text = '{"contents":[{"parts":[{"text":"a"}]}],"big":12345678901234567890}';
const request: InferenceRequest = {
  text,
  json: JSON.parse(text),
  model: 'm',
  stream: true,
  wantsStreamUsage: true,
};

describe('generateContent to generateContent', () => {
  test('a request and a whole answer keep their bytes', () => {
    expect(googlePassthrough.writeRequest(request, 'other')).toBe(text);
    const body = `{"candidates":[{"content":{"parts":[{"text":"x"}]}}],"usageMetadata":{"promptTokenCount":7}, "big":1e2}`;
    const answer = googlePassthrough.readAnswer(body, request);
    expect(answer.body).toBe(body);
    expect(answer.usage).toMatchObject({ inputTokens: 7, outputTokens: 0 });
  });

  test.each(['metadata', 'labels'])('a request loses what its %s say of the session', (name) => {
    const body = (labels: string) => `{ "contents":[{"parts":[{"text":"a"}]}],${labels} "n":1e3}`;
    const written = (labels: string) =>
      googlePassthrough.writeRequest(readGoogleRequest(body(labels), { model: 'm', stream: false }), 'm');
    expect(written(` "${name}": {"session_id":"s", "my_team":"t","sticky_key":"k"},`)).toBe(
      body(` "${name}": { "my_team":"t"},`),
    );
    expect(written(` "${name}": {"session_id":"s"},`)).toBe(body(''));
    expect(written(` "${name}": {"my_team":"t"},`)).toBe(body(` "${name}": {"my_team":"t"},`));
  });

  test('a request that must be signed keeps how its numbers are spelled', () => {
    const body =
      '{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"id":9007199254740993,"at":1.0}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"n":1e3}}}]}],"generation_config":{"temperature":1.0}}';
    const written = googlePassthrough.writeRequest(
      readGoogleRequest(body, { model: 'm', stream: false }),
      'gemini-3-pro',
    );
    expect(written).toContain('thoughtSignature');
    expect(written).toContain('{"id":9007199254740993,"at":1.0}');
    expect(written).toContain('{"n":1e3}');
    expect(written).toContain('"temperature":1.0');
  });

  test('an answer without counts has its text to be counted', () => {
    const answer = googlePassthrough.readAnswer(JSON.stringify(piece([{ text: '12345' }], 'STOP')), request);
    expect(answer.usage).toBeNull();
    expect(answer.generated).toBe('12345');
  });

  test('an error is a complaint, nonsense cannot be read', () => {
    expect(() => googlePassthrough.readAnswer('{"error":{"code":500,"message":"x"}}', request)).toThrow(
      ComplaintError,
    );
    expect(() => googlePassthrough.readAnswer('<html>', request)).toThrow(UnreadableAnswerError);
  });

  test('a stream keeps its bytes; content, counts and end are seen', () => {
    const stream = googlePassthrough.openStream(request);
    const begin = Buffer.from(`: hello\n\n${streamOf(piece([{ text: '' }]))}`);
    expect(Buffer.from(stream.push(begin))).toEqual(begin);
    expect(stream.hasContent).toBe(false);
    const rest = Buffer.from(streamOf(piece([{ text: 'a' }, call('f')]), piece([], 'STOP', counts)));
    expect(Buffer.from(stream.push(rest))).toEqual(rest);
    expect(stream).toMatchObject({ hasContent: true, isComplete: true, complaint: null });
    expect(stream.usage).toMatchObject({ inputTokens: 10, cacheReadTokens: 40, outputTokens: 9 });
    expect(stream.generatedCharacters).toBe(1);
    expect(stream.end()).toHaveLength(0);
    expect(stream.isEnded).toBe(true);
  });

  test('nothing from an error on goes to the client', () => {
    const stream = googlePassthrough.openStream(request);
    const sound = streamOf(piece([{ text: 'a' }]));
    const error = streamOf({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } });
    const sent = stream.push(Buffer.from(sound + error + sound));
    expect(Buffer.from(sent).toString()).toBe(sound);
    expect(stream.complaint).toMatchObject({ status: 503 });
    expect(stream.isComplete).toBe(false);
  });
});

describe('a stream of one candidate, once it has content', () => {
  const asked = { ...request, json: { contents: [] } };

  test('has only its ends, its errors and its last counts read', () => {
    const stream = googlePassthrough.openStream(asked);
    const usage = (candidatesTokenCount: number) => ({ promptTokenCount: 7, candidatesTokenCount });
    stream.push(Buffer.from(streamOf(piece([{ text: 'first' }], undefined, usage(1)))));
    // Nobody reads this frame, so that nobody can say that it is broken.
    const unread = 'data: {"candidates":[{"content":{"parts":[{"text":"}"}]\n\n';
    const more = streamOf(
      piece([{ text: 'more' }], undefined, usage(2)),
      piece([{ text: 'x' }], undefined, usage(3)),
    );
    const block = Buffer.from(unread + more);
    expect(Buffer.from(stream.push(block))).toEqual(block);
    expect(stream).toMatchObject({ complaint: null, isComplete: false });
    expect(stream.usageSoFar).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    expect(stream.generatedCharacters).toBeGreaterThan(5);
    stream.push(Buffer.from(streamOf(piece([], 'STOP', usage(4)))));
    expect(stream.isComplete).toBe(true);
    expect(stream.usage).toMatchObject({ outputTokens: 4 });
  });

  test('takes an argument of a call for no counts', () => {
    const stream = googlePassthrough.openStream(asked);
    const usage = { promptTokenCount: 7, candidatesTokenCount: 500 };
    const named = (value: unknown) => piece([call('f', { usageMetadata: value })]);
    stream.push(Buffer.from(streamOf(piece([{ text: 'first' }]))));
    stream.push(Buffer.from(streamOf(piece([{ text: 'more' }], undefined, usage))));
    stream.push(Buffer.from(streamOf(named({ promptTokenCount: 1 }))));
    expect(stream.usageSoFar).toMatchObject({ inputTokens: 7, outputTokens: 500 });
    const later = { ...usage, candidatesTokenCount: 600 };
    stream.push(Buffer.from(streamOf(piece([{ text: 'x' }], undefined, later), named('"}]'), named([]))));
    expect(stream.usageSoFar).toMatchObject({ inputTokens: 7, outputTokens: 600 });
  });

  test('has its text to be counted until it has ended', () => {
    const stream = googlePassthrough.openStream(asked);
    const usage = { promptTokenCount: 7 };
    stream.push(Buffer.from(streamOf(piece([{ text: 'first' }], undefined, usage))));
    stream.push(Buffer.from(streamOf(piece([{ text: 'x'.repeat(10_000) }], undefined, usage))));
    expect(stream.usage).toBeNull();
    expect(stream.usageSoFar).toMatchObject({ inputTokens: 7 });
    expect(stream.sampleGenerated()).toEqual({
      texts: [`first${'x'.repeat(10_000)}`],
      times: 1,
      showsThoughts: false,
    });
    stream.push(Buffer.from(streamOf(piece([], 'STOP', { ...usage, candidatesTokenCount: 1300 }))));
    expect(stream.usage).toMatchObject({ inputTokens: 7, outputTokens: 1300, estimated: false });
  });

  test('several candidates must all end', () => {
    const several = { ...asked, json: { generationConfig: { candidateCount: 2 } } };
    const stream = googlePassthrough.openStream(several);
    const of = (index: number, finishReason?: string) => ({
      candidates: [{ content: { parts: [{ text: 'a' }] }, index, finishReason }],
    });
    stream.push(Buffer.from(streamOf(of(0), of(1), of(0, 'STOP'))));
    expect(stream.isComplete).toBe(false);
    stream.push(Buffer.from(streamOf(of(1, 'STOP'))));
    expect(stream.isComplete).toBe(true);
  });
});

test('a first call that nobody signed goes as the call of another model, where the upstream demands a signature', () => {
  const call = { functionCall: { name: 'f', args: {} } };
  const answer = { functionResponse: { name: 'f', response: {} } };
  const contents = [
    { parts: [{ text: 'a' }] },
    { role: 'model', parts: [call] },
    { parts: [answer] },
    { parts: [{ text: 'b' }] },
    { role: 'model', parts: [call, call] },
    { parts: [answer, answer] },
    { role: 'model', parts: [{ ...call, thoughtSignature: 'c2ln' }] },
  ];
  const asked = { ...request, json: { contents }, text: JSON.stringify({ contents }) };
  expect(googlePassthrough.writeRequest(asked, 'gemini-2.5-flash')).toBe(asked.text);
  const marked = { ...call, thoughtSignature: 'skip_thought_signature_validator' };
  expect(JSON.parse(googlePassthrough.writeRequest(asked, 'gemini-3-flash-preview'))).toEqual({
    contents: contents.with(4, { role: 'model', parts: [marked, call] }),
  });
  // The second of two calls side by side, as a client gives back the pieces of a stream.
  const pieces = [
    { parts: [{ text: 'a' }] },
    { role: 'model', parts: [{ text: 'b' }] },
    { role: 'model', parts: [{ ...call, thoughtSignature: 'c2ln' }] },
    { role: 'model', parts: [call] },
    { parts: [answer, answer] },
  ];
  const given = { ...request, json: { contents: pieces }, text: 'as it came' };
  expect(googlePassthrough.writeRequest(given, 'gemini-3-flash-preview')).toBe('as it came');
});

test('what other vendors have signed goes as the call of another model, and nothing else is touched', () => {
  const foreign = writeThoughtSignature({ origin: 'anthropic', value: 'EqQ/+A==' });
  const own = `{"parts":[{"functionCall":{"name":"f"},"thoughtSignature":"c2ln"},{"big":12345678901234567890}]}`;
  const mixed = own.replace('"c2ln"', `"${foreign}"`);
  expect(googlePassthrough.writeRequest({ ...request, text: own }, 'm')).toBe(own);
  expect(googlePassthrough.writeRequest({ ...request, text: mixed }, 'm')).toBe(
    own.replace('"c2ln"', '"skip_thought_signature_validator"'),
  );
});
