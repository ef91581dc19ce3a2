/** Speech at ElevenLabs: the voice stands in the path, the format in the query. */
import { readElevenlabsComplaint } from '../transcription/elevenlabs-complaint.ts';
import { refuse } from '../turn/refuse.ts';
import { requireFormat, requireSpeed } from './cannot-speak.ts';
import type { SpeechCall, SpeechFormat, SpeechRequest, SpeechUpstream } from './speech.ts';

export interface ElevenlabsSpeechHost {
  /** A voice's id, for requests that name none. */
  readonly defaultVoice: string;
}

/** Those that every plan may ask for. */
const outputFormats: Readonly<Record<SpeechFormat, string>> = { mp3: 'mp3_44100_128', wav: 'wav_24000' };
const formats: readonly SpeechFormat[] = ['mp3', 'wav'];
const speeds = { least: 0.7, most: 1.2 };

/** Ids are letters and digits; anything else would change the path. */
const voiceId = /^[A-Za-z0-9_-]{1,128}$/;

export function elevenlabsSpeech(host: ElevenlabsSpeechHost): SpeechUpstream {
  return {
    name: 'elevenlabs',
    formats,
    writeRequest: (request, model) => writeRequest(request, model, host),
    readComplaint: readElevenlabsComplaint,
  };
}

function writeRequest(request: SpeechRequest, model: string, host: ElevenlabsSpeechHost): SpeechCall {
  requireFormat(request, formats);
  requireSpeed(request, speeds);
  const voice = request.voice ?? host.defaultVoice;
  if (!voiceId.test(voice)) throw refuse('a voice that is not one of its voice ids', 'voice');
  const body = {
    text: request.input,
    model_id: model,
    ...(request.speed === 1 ? {} : { voice_settings: { speed: request.speed } }),
  };
  return { path: `/${voice}?output_format=${outputFormats[request.format]}`, body: JSON.stringify(body) };
}
