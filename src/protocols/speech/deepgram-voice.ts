/** Voices of Deepgram, where each voice is a model of its own: `aura-2-thalia-en` is a family, a voice, a language. */
import { refuse } from '../turn/refuse.ts';

const wholeModel = /^(aura(?:-\d+)?)-([a-z]+-[a-z]{2})$/;
const bareFamily = /^aura(?:-\d+)?$/;
const voiceName = /^[a-z]+$/;
const voiceWithLanguage = /^[a-z]+-[a-z]{2}$/;

export interface DeepgramVoice {
  readonly family: string;
  readonly model: string;
}

/**
 * The voice of the model itself, or the one that the request names: whole, as a name alone, or with its language. A
 * family without a voice is a model too and speaks in the default one. A model of another kind has its only voice.
 * @throws AppError invalid_parameter for what is no voice of the model's family, which would be billed differently.
 */
export function chooseVoice(model: string, voice: string | undefined, defaultVoice: string): DeepgramVoice {
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
