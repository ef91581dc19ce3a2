import { describe, expect, test } from 'bun:test';
import { ComplaintError, UnreadableAnswerError } from '../translator.ts';
import { responsesPassthrough } from './passthrough.ts';
import { readResponsesRequest } from './request.ts';
import {
  added,
  completed,
  created,
  done,
  message,
  responsesFrames,
  type StreamedEvent,
  textDelta,
  usage,
  whole,
} from './testing/frames.ts';

const request = (fields: object = {}) =>
  readResponsesRequest(JSON.stringify({ model: 'alias', input: 'hi', ...fields }));

function openStream() {
  const stream = responsesPassthrough.openStream(request({ stream: true }));
  const pushText = (text: string) => Buffer.from(stream.push(Buffer.from(text))).toString('utf8');
  const push = (...events: readonly StreamedEvent[]) => pushText(responsesFrames(...events));
  return { stream, push, pushText };
}

const opening = [
  created,
  added(0, { type: 'message', id: 'msg_0', content: [] }),
  { type: 'response.content_part.added', output_index: 0, part: { type: 'output_text', text: '' } },
] as const;

describe('the request', () => {
  test('keeps every byte but the model', () => {
    const body =
      '{"model":"alias", "input":"hi","store":true,"previous_response_id":"resp_0","x":12345678901234567890}';
    expect(responsesPassthrough.writeRequest(readResponsesRequest(body), 'gpt-x')).toBe(
      body.replace('"alias"', '"gpt-x"'),
    );
  });

  test('does not tell the upstream of the session, and keeps every other byte', () => {
    const body = (metadata: string) =>
      `{ "model": "m",${metadata} "input": "hi", "big": 12345678901234567890 }`;
    const written = (metadata: string) =>
      responsesPassthrough.writeRequest(readResponsesRequest(body(metadata)), 'm');
    const given = '"metadata": {"session_id":"s", "n":1e3,"sticky_key":null},';
    expect(written(` ${given}`)).toBe(body(' "metadata": { "n":1e3},'));
    expect(written(' "metadata": {"sticky_key":"k","session_id":"s"},')).toBe(body(''));
    for (const own of ['{}', 'null', '{"team": "t"}']) {
      expect(written(` "metadata": ${own},`)).toBe(body(` "metadata": ${own},`));
    }
  });

  test.each([
    ['gpt-5', { effort: 'xhigh', summary: 'auto' }, { effort: 'high', summary: 'auto' }],
    ['gpt-5.2', { effort: 'xhigh' }, { effort: 'xhigh' }],
    ['gpt-4.1', { effort: 'low', summary: 'auto' }, undefined],
    ['gpt-5', { summary: 'auto' }, { summary: 'auto' }],
    ['another-model', { effort: 'minimal' }, { effort: 'minimal' }],
  ])('asks %s for an effort that it knows: %j', (upstreamId, reasoning, expected) => {
    const written = responsesPassthrough.writeRequest(request({ reasoning }), upstreamId);
    expect(JSON.parse(written).reasoning).toEqual(expected);
  });

  test('leaves out reasoning that another vendor signed or nobody, and ids that were made up here', () => {
    const mine = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'real==' };
    const said = { role: 'user', content: 'the words "sluice:google:x" and rs_sluice_ change nothing' };
    const input = [
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'sluice:anthropic:zzz' },
      {
        type: 'reasoning',
        id: 'rs_sluice_a_0',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'x' }],
      },
      { type: 'reasoning', id: 'rs_sluice_a_1', summary: [], encrypted_content: 'sluice-tool:google:c:zz' },
      { type: 'reasoning', id: 'rs_sluice_a_2', summary: [], content: [], encrypted_content: 'real2==' },
      mine,
      said,
      { type: 'item_reference', id: 'msg_1' },
    ];
    const written = JSON.parse(responsesPassthrough.writeRequest(request({ input }), 'up'));
    expect(written.input).toEqual([
      { type: 'reasoning', summary: [], encrypted_content: 'real2==' },
      mine,
      said,
      { type: 'item_reference', id: 'msg_1' },
    ]);
  });
});

describe('a whole answer', () => {
  test('passes untouched; its counts become disjoint', () => {
    const body = `${JSON.stringify(whole([message('x')])).slice(0, -1)},"big":12345678901234567890}`;
    const answer = responsesPassthrough.readAnswer(body, request());
    expect(answer.body).toBe(body);
    expect(answer.usage).toEqual({
      inputTokens: 10,
      cacheReadTokens: 40,
      cacheWrite5mTokens: 0,
      cacheWrite1hTokens: 0,
      outputTokens: 9,
      reasoningTokens: 4,
      estimated: false,
    });
  });

  test('without counts has its text to be counted', () => {
    const body = JSON.stringify(whole([message('12345')], { usage: null }));
    const answer = responsesPassthrough.readAnswer(body, request());
    expect(answer.usage).toBeNull();
    expect(answer.generated).toBe('12345');
  });

  test('an error or a response that failed is a complaint; anything else cannot be read', () => {
    const failed = whole([], { status: 'failed', error: { code: 'server_error', message: 'broke' } });
    for (const body of [
      '{"error":{"message":"quota","code":"insufficient_quota"}}',
      JSON.stringify(failed),
    ]) {
      expect(() => responsesPassthrough.readAnswer(body, request())).toThrow(ComplaintError);
    }
    for (const body of ['<html>', '', '[]', '{"id":"x"}']) {
      expect(() => responsesPassthrough.readAnswer(body, request())).toThrow(UnreadableAnswerError);
    }
  });
});

describe('a stream', () => {
  test('tells where its client is, behind comments and in front of an error', () => {
    const { stream, push, pushText } = openStream();
    expect(stream.position?.()).toEqual({ id: undefined, nextNumber: 0 });
    push(...opening, textDelta(0, 'a'));
    push({ ...textDelta(0, 'b'), sequence_number: 8 });
    pushText(': still there\n\n');
    expect(stream.position?.()).toEqual({ id: 'resp_1', nextNumber: 9 });
    push({ ...textDelta(0, 'c'), sequence_number: 9 }, { type: 'error', message: 'no', sequence_number: 10 });
    expect(stream.complaint).not.toBeNull();
    expect(stream.position?.()).toEqual({ id: 'resp_1', nextNumber: 10 });
  });

  test('passes byte for byte, with comments, CRLF and a last word of another protocol', () => {
    const { stream, pushText } = openStream();
    const bytes = `: hello\r\n\r\n${responsesFrames(...opening, textDelta(0, 'é'))}`;
    expect(pushText(bytes)).toBe(bytes);
    const end = `${responsesFrames(completed())}data: [DONE]\n\n`;
    expect(pushText(end)).toBe(end);
    expect(stream.complaint).toBeNull();
  });

  test.each([
    ['text', textDelta(0, 'a')],
    ['thinking', { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'a' }],
    ['a call', added(1, { type: 'function_call', call_id: 'c', name: 'n', arguments: '' })],
    ['a tool of the vendor', added(1, { type: 'web_search_call', id: 'ws' })],
    ['a whole item', done(0, { type: 'reasoning', encrypted_content: 'x' })],
    ['an end', completed()],
  ])('has content from %s on, not from its opening', (_, event) => {
    const { stream, push } = openStream();
    push(...opening, textDelta(0, ''), added(1, { type: 'reasoning', summary: [] }));
    expect(stream.hasContent).toBe(false);
    push(event);
    expect(stream.hasContent).toBe(true);
  });

  test.each([
    ['completed', 'response.completed'],
    ['incomplete', 'response.incomplete'],
  ])('reads its counts and its end from %s', (status, type) => {
    const { stream, push } = openStream();
    push(...opening, textDelta(0, 'a'));
    expect(stream).toMatchObject({ isComplete: false, isEnded: false, usage: null });
    push({ type, response: { id: 'resp_1', status, usage } });
    expect(stream).toMatchObject({ isComplete: true, isEnded: true });
    expect(stream.usage).toMatchObject({ inputTokens: 10, cacheReadTokens: 40, outputTokens: 9 });
    expect(stream.end()).toHaveLength(0);
  });

  test('is measured by its deltas when it breaks off, not by what repeats them', () => {
    const { stream, push } = openStream();
    push(...opening, textDelta(0, 'abcd'));
    push(textDelta(0, 'x'.repeat(400)));
    const before = stream.generatedCharacters;
    expect(before).toBeGreaterThan(390);
    expect(before).toBeLessThan(450);
    push(
      { type: 'response.output_text.done', output_index: 0, text: 'x'.repeat(404) },
      done(0, message('x'.repeat(404))),
    );
    expect(stream.generatedCharacters).toBe(before);
    expect(stream).toMatchObject({ isComplete: false, usage: null });
  });

  test('generated text that looks like events changes nothing', () => {
    const { stream, push } = openStream();
    push(...opening, textDelta(0, 'a'));
    push(textDelta(0, '{"type":"response.completed","response":{}} {"type": "error"} event: error'));
    expect(stream).toMatchObject({ isComplete: false, complaint: null });
  });

  test('an error or a failed response is a complaint; the client gets what came before it', () => {
    const nested = { type: 'error', error: { type: 'x', code: 'rate_limit_exceeded', message: 'slow' } };
    const flat = { type: 'error', code: 'rate_limit_exceeded', message: 'slow', param: null };
    const failed = {
      type: 'response.failed',
      response: whole([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow' } }),
    };
    for (const event of [nested, flat, failed]) {
      const early = openStream();
      early.push(created, event);
      expect(early.stream).toMatchObject({ hasContent: false, complaint: { message: 'slow', status: 429 } });
      const late = openStream();
      late.push(...opening, textDelta(0, 'a'));
      expect(late.push(textDelta(0, 'b'), event)).toBe(responsesFrames(textDelta(0, 'b')));
      expect(late.stream).toMatchObject({
        hasContent: true,
        isComplete: false,
        complaint: { message: 'slow' },
      });
    }
  });

  test('a frame cut short is a complaint, a comment is not', () => {
    const { stream, push, pushText } = openStream();
    push(...opening, textDelta(0, 'a'));
    pushText(': keep-alive\n\n');
    expect(stream.complaint).toBeNull();
    pushText('event: response.output_text.delta\ndata: {"type":"response.outp\n\n');
    expect(stream.complaint).not.toBeNull();
  });
});
