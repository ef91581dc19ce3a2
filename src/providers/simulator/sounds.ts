/** Speech and transcriptions made up on the spot: silence as long as the text, and a text that says what it is. */

type JsonObject = Record<string, unknown>;

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
