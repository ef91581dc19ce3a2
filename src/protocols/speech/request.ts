/** Speech requests: the fields that are understood here are checked, every other field is left as it came. */
import { z } from 'zod';
import { asFieldIssues, parseRequestObject } from '../json/body.ts';
import { type SpeechRequest, speechFormats } from './speech.ts';

const maxCharacters = 4096;

/** As people count: an emoji of two UTF-16 units is one. Its length in units is a cheap bound from above. */
function isWithin(text: string, most: number): boolean {
  if (text.length <= most) return true;
  return text.length <= 2 * most && [...text].length <= most;
}

/** Null stands for an absent optional field, as the official clients send it. */
const speechRequestSchema = z.object({
  model: z.string().min(1).max(256),
  input: z
    .string()
    .min(1, 'must say something')
    .refine((text) => isWithin(text, maxCharacters), `must have at most ${maxCharacters} characters`),
  voice: z.string().min(1).max(256).nullish(),
  response_format: z.enum(speechFormats, 'must be mp3 or wav').nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  instructions: z.string().max(maxCharacters).nullish(),
  stream_format: z.literal('audio', 'must be audio: speech is not sent as events here').nullish(),
});

/** @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field. */
export function readSpeechRequest(text: string): SpeechRequest {
  const json = parseRequestObject(text);
  const parsed = speechRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  const { model, input, voice, response_format: format, speed, instructions } = parsed.data;
  return {
    text,
    json,
    model,
    input,
    voice: voice ?? undefined,
    format: format ?? 'mp3',
    speed: speed ?? 1,
    instructions: instructions ?? undefined,
  };
}
