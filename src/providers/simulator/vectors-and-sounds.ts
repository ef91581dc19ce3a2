/**
 * Vectors, scores, speech and transcriptions made up on the spot: texts that share words are near each other, speech is
 * silence as long as its text, and a transcription says what it is.
 */
import { isJsonObject } from '../../protocols/json/fields.ts';

type JsonObject = Record<string, unknown>;

const usualDimensions = 256;
/** More than models in use have; thousands of longer vectors would keep the process busy. */
const mostDimensions = 4096;

export function simulateEmbeddings(request: JsonObject): Response {
  const { input } = request;
  const inputs = Array.isArray(input) ? input.map(String) : [String(input)];
  const { dimensions } = request;
  const length = typeof dimensions === 'number' ? dimensions : usualDimensions;
  if (length > mostDimensions) return refuseDimensions(length);
  const tokens = inputs.reduce((sum, text) => sum + wordsOf(text).length, 0);
  return Response.json({
    object: 'list',
    model: String(request['model']),
    data: inputs.map((text, index) => ({ object: 'embedding', index, embedding: embed(text, length) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** In OpenAI's words for errors. */
function refuseDimensions(length: number): Response {
  const message = `The simulation makes vectors of at most ${mostDimensions} dimensions, not ${length}.`;
  const error = { message, type: 'invalid_request_error', param: 'dimensions', code: null };
  return Response.json({ error }, { status: 400 });
}

export function simulateRerank(request: JsonObject): Response {
  const query = new Set(wordsOf(String(request['query'])));
  const documents = Array.isArray(request['documents']) ? request['documents'].map(textOf) : [];
  const results = documents.map((text, index) => {
    const words = wordsOf(text);
    const shared = words.filter((word) => query.has(word)).length;
    return { index, relevance_score: shared / Math.max(1, words.length) };
  });
  const tokens = documents.reduce((sum, text) => sum + wordsOf(text).length + query.size, 0);
  return Response.json({ model: String(request['model']), results, usage: { total_tokens: tokens } });
}

/** Each word adds to a place of its own; the whole has the length one. */
function embed(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of wordsOf(text)) {
    const place = Number(BigInt(Bun.hash(word)) % BigInt(dimensions));
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const textOf = (document: unknown): string =>
  isJsonObject(document) ? String(document['text']) : String(document);

const charactersPerSecond = 15;
const sampleRate = 8000;
/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz, one channel: a frame whose side information is all zeros is silence. */
const mp3FrameHeader = [0xff, 0xfb, 0x90, 0xc0] as const;
const mp3FrameBytes = 417;
const mp3FramesPerSecond = 44_100 / 1152;

export function simulateSpeech(request: JsonObject): Response {
  const speed = typeof request['speed'] === 'number' ? request['speed'] : 1;
  const seconds = Math.max(0.1, String(request['input']).length / charactersPerSecond / speed);
  return request['response_format'] === 'wav'
    ? new Response(silentWav(seconds), { headers: { 'content-type': 'audio/wav' } })
    : new Response(silentMp3(seconds), { headers: { 'content-type': 'audio/mpeg' } });
}

/** @param upload drained, as a real host would before it answers. */
export async function simulateTranscription(upload: Response): Promise<Response> {
  await upload.arrayBuffer();
  return Response.json({ text: 'This is a simulation: nobody listened.' });
}

function silentWav(seconds: number): Buffer<ArrayBuffer> {
  const samples = Buffer.alloc(Math.ceil(seconds * sampleRate) * 2);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

function silentMp3(seconds: number): Buffer<ArrayBuffer> {
  const frames = Math.ceil(seconds * mp3FramesPerSecond);
  const bytes = Buffer.alloc(frames * mp3FrameBytes);
  for (let frame = 0; frame < frames; frame += 1) bytes.set(mp3FrameHeader, frame * mp3FrameBytes);
  return bytes;
}
