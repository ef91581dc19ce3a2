/** generateContent to generateContent: the bytes pass through; model and streaming stand in the URL anyway. */
import { tryParseJson } from '../json/fields.ts';
import type { InferenceRequest, Translator, WholeAnswer } from '../translator.ts';
import { readGoogleComplaint } from './complaint.ts';
import { GooglePassthroughStream } from './passthrough-stream.ts';
import { readGoogleAnswer } from './read-answer.ts';

export const googlePassthrough: Translator = {
  writeRequest: ({ text }: InferenceRequest) => text,
  readAnswer,
  readComplaint: readGoogleComplaint,
  openStream: () => new GooglePassthroughStream(),
};

function readAnswer(body: string): WholeAnswer {
  const { choices, usage } = readGoogleAnswer(tryParseJson(body));
  return { body, usage, generatedCharacters: usage === null ? JSON.stringify(choices).length : 0 };
}
