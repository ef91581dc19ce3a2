/** Speech at Deepgram: all but the text stands in the query. */
import { readDeepgramComplaint } from '../transcription/deepgram-complaint.ts';
import { refuse } from '../turn/refuse.ts';
import { requireFormat, requireSpeed } from './cannot-speak.ts';
import { chooseVoice } from './deepgram-voice.ts';
import type { SpeechCall, SpeechFormat, SpeechRequest, SpeechUpstream } from './speech.ts';

export interface DeepgramSpeechHost {
  /** A voice with its language, for models that are a family without a voice. */
  readonly defaultVoice: string;
}

const formats: readonly SpeechFormat[] = ['mp3', 'wav'];
const outputs: Readonly<Record<SpeechFormat, Readonly<Record<string, string>>>> = {
  mp3: { encoding: 'mp3' },
  wav: { encoding: 'linear16', container: 'wav' },
};
const maxCharacters = 2000;
/** The first family has no control of speed. */
const speedsByFamily: Readonly<Record<string, { readonly least: number; readonly most: number }>> = {
  'aura-2': { least: 0.7, most: 1.5 },
};
const noSpeeds = { least: 1, most: 1 };

export function deepgramSpeech(host: DeepgramSpeechHost): SpeechUpstream {
  return {
    name: 'deepgram',
    formats,
    writeRequest: (request, model) => writeRequest(request, model, host),
    readComplaint: readDeepgramComplaint,
  };
}

function writeRequest(request: SpeechRequest, model: string, host: DeepgramSpeechHost): SpeechCall {
  requireFormat(request, formats);
  if ([...request.input].length > maxCharacters) {
    throw refuse(`more than ${maxCharacters} characters of input`, 'input');
  }
  const voice = chooseVoice(model, request.voice, host.defaultVoice);
  requireSpeed(request, speedsByFamily[voice.family] ?? noSpeeds);
  const query = new URLSearchParams({
    model: voice.model,
    ...outputs[request.format],
    ...(request.speed === 1 ? {} : { speed: String(request.speed) }),
  });
  return { path: `?${query}`, body: JSON.stringify({ text: request.input }) };
}
