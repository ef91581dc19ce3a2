/** Speech at Deepgram: all but the text stands in the query, and each voice is a model of its own. */

import {
  requireFormat,
  requireSpeed,
  type SpeechCall,
  type SpeechFormat,
  type SpeechRequest,
  type SpeechUpstream,
} from '../../protocols/speech/speech.ts';
import { refuse } from '../../protocols/turn/refuse.ts';
import { readDeepgramComplaint } from './complaint.ts';

/**
 * What the vendor says of its voices, as of 2026-11: https://developers.deepgram.com/reference/text-to-speech/speak has
 * the bound of the text, https://developers.deepgram.com/docs/tts-voice-controls the speeds, which only the second
 * family of models has, and https://developers.deepgram.com/docs/tts-models the voices of either family: Thalia is none
 * of the first, whose list begins with Asteria.
 */
const facts = {
  /** With their languages, for models that are a family without a voice. */
  defaultVoice: 'thalia-en',
  defaultVoiceByFamily: new Map([['aura', 'asteria-en']]),
  maxCharacters: 2000,
  speedsByFamily: new Map([['aura-2', { least: 0.7, most: 1.5 }]]),
  outputs: { mp3: { encoding: 'mp3' }, wav: { encoding: 'linear16', container: 'wav' } },
} as const;

const formats: readonly SpeechFormat[] = ['mp3', 'wav'];
const noSpeeds = { least: 1, most: 1 };

export const deepgramSpeech: SpeechUpstream = {
  name: 'deepgram',
  formats,
  writeRequest,
  readComplaint: readDeepgramComplaint,
};

function writeRequest(request: SpeechRequest, model: string): SpeechCall {
  requireFormat(request, formats);
  if ([...request.input].length > facts.maxCharacters) {
    throw refuse(`more than ${facts.maxCharacters} characters of input`, 'input');
  }
  const voice = chooseVoice(model, request.voice);
  requireSpeed(request, facts.speedsByFamily.get(voice.family) ?? noSpeeds);
  const query = new URLSearchParams({
    model: voice.model,
    ...facts.outputs[request.format],
    ...(request.speed === 1 ? {} : { speed: String(request.speed) }),
  });
  return { path: `?${query}`, body: JSON.stringify({ text: request.input }) };
}

const wholeModel = /^(aura(?:-\d+)?)-([a-z]+-[a-z]{2})$/;
const bareFamily = /^aura(?:-\d+)?$/;
const voiceName = /^[a-z]+$/;
const voiceWithLanguage = /^[a-z]+-[a-z]{2}$/;

/** A voice of Deepgram is a model of its own: `aura-2-thalia-en` is a family, a voice and a language. */
interface DeepgramVoice {
  readonly family: string;
  readonly model: string;
}

/**
 * The voice of the model itself, or the one that the request names: whole, as a name alone, or with its language. A
 * family without a voice is a model too and speaks in the default one. A model of another kind has its only voice.
 * @throws AppError invalid_parameter for what is no voice of the model's family, which would be billed differently.
 */
function chooseVoice(model: string, voice: string | undefined): DeepgramVoice {
  const defaultVoice = facts.defaultVoiceByFamily.get(model) ?? facts.defaultVoice;
  const isFamily = bareFamily.test(model);
  const [, family = model, own] = isFamily ? ['', model, defaultVoice] : (wholeModel.exec(model) ?? []);
  if (voice === undefined) return { family, model: isFamily ? `${family}-${defaultVoice}` : model };
  if (own === undefined) throw refuse('another voice', 'voice');
  const asked = voice.toLowerCase();
  if (wholeModel.exec(asked)?.[1] === family) return { family, model: asked };
  if (voiceWithLanguage.test(asked)) return { family, model: `${family}-${asked}` };
  if (voiceName.test(asked)) return { family, model: `${family}-${asked}-${own.slice(-2)}` };
  throw refuse('a voice of another kind', 'voice');
}
