import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import OpenAI, { toFile } from 'openai';
import { ByteBudget, HeldBytes } from '../../base/byte-budget.ts';
import { Deadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import { ManualClock } from '../../base/testing/manual-clock.ts';
import { wavFile } from '../audio-file/testing/plain-files.ts';
import { readTranscriptionRequest } from './request.ts';
import type { TranscriptionRequest } from './transcription.ts';

const sound = new Uint8Array(wavFile({ seconds: 1 }));
const clock = new ManualClock();
const boundsNow = () => ({
  maxFileBytes: 100_000,
  deadlines: new Deadlines(clock),
  held: HeldBytes.ofRequest(new ByteBudget(2_000_000)),
});

type Outcome = TranscriptionRequest | AppError;

/** What the last request was read as. */
let outcome = Promise.withResolvers<Outcome>();

const server = Bun.serve({
  port: 0,
  idleTimeout: 0,
  async fetch(http) {
    try {
      outcome.resolve(await readTranscriptionRequest(http, boundsNow()));
      return Response.json({ text: 'ok' });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      outcome.resolve(error);
      return Response.json({ error: { message: error.message } }, { status: error.status });
    }
  },
});

beforeAll(() => {
  server.unref();
});
afterAll(() => server.stop(true));

async function post(form: FormData | string, headers: Record<string, string> = {}): Promise<Outcome> {
  outcome = Promise.withResolvers<Outcome>();
  await fetch(server.url, { method: 'POST', body: form, headers });
  return outcome.promise;
}

function formOf(
  fields: readonly (readonly [string, string])[],
  file: Uint8Array<ArrayBuffer> = sound,
): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  form.append('file', new File([file], 'speech.bin'));
  return form;
}

async function requestOf(form: FormData): Promise<TranscriptionRequest> {
  const read = await post(form);
  if (read instanceof AppError) throw read;
  return read;
}

async function refusalOf(form: FormData | string, headers?: Record<string, string>): Promise<AppError> {
  const read = await post(form, headers);
  if (read instanceof AppError) return read;
  throw new Error('it was accepted');
}

const joined = (pieces: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(pieces));

/** A client that writes its request by hand and may never finish. */
async function openUpload(head: string): Promise<Socket> {
  outcome = Promise.withResolvers<Outcome>();
  const socket = connect(Number(server.port), server.hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  // The server may hang up while the rest is still being sent.
  socket.on('error', () => undefined);
  socket.write(head);
  return socket;
}

/** The first line that the server answers. */
function statusLineOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''));
  });
}

const uploadHead = (length: number) =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=B\r\ncontent-length: ${length}\r\n\r\n`;
const fileHead = '--B\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';

describe('what is read', () => {
  test('a file alone', async () => {
    const request = await requestOf(formOf([]));
    expect(Buffer.from(request.file.bytes).equals(sound)).toBe(true);
    expect(request).toMatchObject({ model: null, format: 'json', wordTimes: false });
    expect(request.file).toMatchObject({ container: 'wav', durationMs: 1000 });
    expect(request.language).toBeUndefined();
  });

  test('every field', async () => {
    const request = await requestOf(
      formOf([
        ['model', 'whisper-1'],
        ['language', 'DE'],
        ['prompt', 'Grüße'],
        ['temperature', '0.25'],
        ['response_format', 'verbose_json'],
        ['timestamp_granularities[]', 'segment'],
        ['timestamp_granularities[]', 'word'],
        ['stream', 'false'],
        ['anything', 'else'],
      ]),
    );
    expect(request).toMatchObject({
      model: 'whisper-1',
      language: 'de',
      prompt: 'Grüße',
      temperature: 0.25,
      format: 'verbose_json',
      wordTimes: true,
    });
  });

  test('empty fields count as left out', async () => {
    const request = await requestOf(
      formOf([
        ['model', ''],
        ['language', ''],
        ['temperature', ''],
        ['response_format', ''],
      ]),
    );
    expect(request).toMatchObject({ model: null, format: 'json' });
    expect(request.language).toBeUndefined();
    expect(request.temperature).toBeUndefined();
  });

  test('the official client', async () => {
    outcome = Promise.withResolvers<Outcome>();
    const client = new OpenAI({ apiKey: 'k', baseURL: server.url.href, maxRetries: 0 });
    await client.audio.transcriptions.create({
      file: await toFile(sound, 'übung.wav'),
      model: 'm',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      temperature: 0,
    });
    const read = await outcome.promise;
    expect(read).toMatchObject({ model: 'm', temperature: 0, wordTimes: true, format: 'verbose_json' });
    expect(read instanceof AppError ? null : new Uint8Array(read.file.bytes)).toEqual(sound);
  });

  test('a body of unknown length, in pieces', async () => {
    outcome = Promise.withResolvers<Outcome>();
    const whole = joined([Buffer.from(fileHead), sound, Buffer.from('\r\n--B--\r\n')]);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= whole.length) return controller.close();
        controller.enqueue(new Uint8Array(whole.subarray(at, at + 999)));
        at += 999;
      },
    });
    const http = new Request('http://localhost', {
      method: 'POST',
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    });
    const { file } = await readTranscriptionRequest(http, boundsNow());
    expect(new Uint8Array(file.bytes)).toEqual(sound);
  });
});

describe('what is refused', () => {
  test.each([
    { param: 'language', fields: [['language', 'xx']] },
    { param: 'language', fields: [['language', 'eng']] },
    { param: 'temperature', fields: [['temperature', 'warm']] },
    { param: 'temperature', fields: [['temperature', '1.1']] },
    { param: 'temperature', fields: [['temperature', '-0.1']] },
    { param: 'temperature', fields: [['temperature', '0x1']] },
    { param: 'response_format', fields: [['response_format', 'docx']] },
    {
      param: 'timestamp_granularities[0]',
      fields: [
        ['response_format', 'verbose_json'],
        ['timestamp_granularities[]', 'letter'],
      ],
    },
    { param: 'model', fields: [['model', 'x'.repeat(257)]] },
    { param: 'stream', fields: [['stream', 'maybe']] },
    { param: 'Model', fields: [['Model', 'whisper-1']] },
    {
      param: 'model',
      fields: [
        ['model', 'a'],
        ['model', 'b'],
      ],
    },
  ] as const)('422 for a $param that cannot be', async ({ fields, param }) => {
    const refusal = await refusalOf(formOf(fields));
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422, param });
    expect(refusal.fields.length).toBe(1);
  });

  test.each([
    [['timestamp_granularities[]', 'word'], 'timestamp_granularities'],
    [['stream', 'true'], 'stream'],
  ] as const)('%p cannot be with every format: 400', async (field, param) => {
    const fields = param === 'stream' ? [field, ['response_format', 'srt'] as const] : [field];
    expect(await refusalOf(formOf(fields))).toMatchObject({ code: 'invalid_parameter', status: 400, param });
  });

  test('text fields that are files, no text, or not there', async () => {
    const file = formOf([]);
    file.append('model', new File(['whisper-1'], 'model.txt'));
    expect(await refusalOf(file)).toMatchObject({ code: 'invalid_parameter', param: 'model' });
    const raw = `--B\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n`;
    const http = new Request('http://localhost', {
      method: 'POST',
      body: joined([
        Buffer.from(raw),
        Buffer.from([0xff, 0xfe]),
        Buffer.from(`\r\n${fileHead}`),
        sound,
        Buffer.from('\r\n--B--'),
      ]),
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    });
    await expect(readTranscriptionRequest(http, boundsNow())).rejects.toMatchObject({
      param: 'prompt',
      status: 422,
    });
    const none = new FormData();
    none.append('model', 'm');
    expect(await refusalOf(none)).toMatchObject({ code: 'validation_failed', param: 'file' });
  });

  test('two files, an empty one, one in a strange field, and one that is no audio', async () => {
    const two = formOf([]);
    two.append('file', new File([sound], 'b.wav'));
    expect(await refusalOf(two)).toMatchObject({ status: 400, param: 'file' });
    expect(await refusalOf(formOf([], new Uint8Array(0)))).toMatchObject({ status: 400, param: 'file' });
    const strange = formOf([]);
    strange.append('audio', new File([sound], 'b.wav'));
    expect(await refusalOf(strange)).toMatchObject({ status: 400, param: 'audio' });
    const text = await refusalOf(formOf([], new TextEncoder().encode('not audio at all')));
    expect(text).toMatchObject({ code: 'invalid_parameter', status: 400, param: 'file' });
    expect(text.message).toContain('WAV, MP3, M4A, FLAC, OGG and WebM');
  });

  test('another content type, no boundary, compression, an empty body', async () => {
    expect((await refusalOf('{}', { 'content-type': 'application/json' })).code).toBe(
      'unsupported_content_type',
    );
    expect((await refusalOf('x', { 'content-type': 'multipart/form-data' })).code).toBe('malformed_request');
    const typed = { 'content-type': 'multipart/form-data; boundary=B' };
    expect((await refusalOf('x', { ...typed, 'content-encoding': 'gzip' })).code).toBe(
      'unsupported_content_type',
    );
    expect((await refusalOf('', typed)).code).toBe('malformed_request');
  });
});

describe('uploads that go wrong', () => {
  test('a declared length beyond the bound: 413 before anything is read', async () => {
    const socket = await openUpload(uploadHead(50_000_000));
    expect(await statusLineOf(socket)).toContain('413');
    expect(await outcome.promise).toMatchObject({ code: 'body_too_large', status: 413 });
    socket.destroy();
  });

  test('a file beyond the bound: 413 while the rest has not been sent', async () => {
    const socket = await openUpload(uploadHead(300_000) + fileHead);
    socket.write(Buffer.alloc(101_000));
    expect(await statusLineOf(socket)).toContain('413');
    expect(await outcome.promise).toMatchObject({ code: 'body_too_large', status: 413, param: 'file' });
    socket.destroy();
  });

  test('an upload that breaks off: 400', async () => {
    const socket = await openUpload(uploadHead(50_000) + fileHead);
    socket.write(Buffer.alloc(1000), () => socket.destroy());
    expect(await outcome.promise).toMatchObject({ code: 'malformed_request', status: 400 });
  });

  test('an upload that does not come: 408', async () => {
    const socket = await openUpload(uploadHead(50_000) + fileHead);
    await clock.advance(31_000);
    expect(await outcome.promise).toMatchObject({ code: 'request_timeout', status: 408 });
    socket.destroy();
  });

  test('what is sent behind the form without an end: 413', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(joined([Buffer.from(fileHead), sound, Buffer.from('\r\n--B--\r\n')]));
      },
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const http = new Request('http://localhost', {
      method: 'POST',
      body: endless,
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    });
    await expect(readTranscriptionRequest(http, boundsNow())).rejects.toMatchObject({
      code: 'body_too_large',
    });
    expect(sent).toBeLessThan(20);
  });
});
