/** Speech at ElevenLabs: the voice stands in the path, the format in the query. */

import {
  requireFormat,
  requireSpeed,
  type SpeechCall,
  type SpeechFormat,
  type SpeechRequest,
  type SpeechUpstream,
} from '../../protocols/speech/speech.ts';
import { refuse } from '../../protocols/turn/refuse.ts';
import { readElevenlabsComplaint } from './complaint.ts';

/**
 * What the vendor says of its voices, as of 2026-11: https://elevenlabs.io/docs/api-reference/text-to-speech/convert has
 * the formats and the voice of its examples, https://elevenlabs.io/docs/overview/capabilities/text-to-speech the speeds.
 */
const facts = {
  /** A voice's id, for requests that name none. */
  defaultVoice: 'JBFqnCBsd6RMkjVDRZzb',
  speeds: { least: 0.7, most: 1.2 },
  /** Those that every plan may ask for. */
  outputs: { mp3: 'mp3_44100_128', wav: 'wav_24000' },
} as const;

const formats: readonly SpeechFormat[] = ['mp3', 'wav'];

/** Ids are letters and digits; anything else would change the path. */
const voiceId = /^[A-Za-z0-9_-]{1,128}$/;

export const elevenlabsSpeech: SpeechUpstream = {
  name: 'elevenlabs',
  formats,
  writeRequest,
  readComplaint: readElevenlabsComplaint,
};

function writeRequest(request: SpeechRequest, model: string): SpeechCall {
  requireFormat(request, formats);
  requireSpeed(request, facts.speeds);
  const voice = request.voice ?? facts.defaultVoice;
  if (!voiceId.test(voice)) throw refuse('a voice that is not one of its voice ids', 'voice');
  const body = {
    text: request.input,
    model_id: model,
    ...(request.speed === 1 ? {} : { voice_settings: { speed: request.speed } }),
  };
  return { path: `/${voice}?output_format=${facts.outputs[request.format]}`, body: JSON.stringify(body) };
}
