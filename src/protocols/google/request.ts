/**
 * This file checks generateContent and countTokens requests: what every request must have, and the fields that are read
 * here. All other fields are left as they came. Model and streaming stand in the URL.
 */
import { z } from 'zod';
import { asFieldIssues, listOf, parseRequestObject } from '../json/body.ts';
import { isJsonObject } from '../json/fields.ts';
import type { InferenceRequest } from '../translator.ts';
import { inOneSpelling } from './field-names.ts';

/** As Google's hosts do, it takes a null for a field that is not there. */
const part = z.looseObject({
  text: z.string().nullish(),
  thoughtSignature: z.string().nullish(),
  functionCall: z.looseObject({ name: z.string().min(1), args: z.looseObject({}).nullish() }).nullish(),
  functionResponse: z.looseObject({ name: z.string().min(1), response: z.looseObject({}) }).nullish(),
  inlineData: z.looseObject({ mimeType: z.string().min(1), data: z.string().min(1) }).nullish(),
  fileData: z.looseObject({ fileUri: z.string().min(1) }).nullish(),
});
const content = z.looseObject({
  role: z.enum(['user', 'model', 'function'], 'must be user, model or function').nullish(),
  parts: listOf(part, { least: 1 }),
});

const requestSchema = z.looseObject({
  contents: listOf(content, { least: 1 }),
  systemInstruction: z
    .looseObject({ parts: listOf(z.looseObject({ text: z.string() }), { least: 1 }) })
    .nullish(),
  tools: listOf(z.looseObject({})).nullish(),
  toolConfig: z.looseObject({}).nullish(),
  generationConfig: z
    .looseObject({
      temperature: z.number().min(0).max(2).nullish(),
      topP: z.number().min(0).max(1).nullish(),
      topK: z.int().min(0).nullish(),
      seed: z.int32().nullish(),
      maxOutputTokens: z.int().min(1).nullish(),
      candidateCount: z.int().min(1).max(8).nullish(),
      stopSequences: listOf(z.string(), { most: 5 }).nullish(),
    })
    .nullish(),
});

export interface GoogleTarget {
  readonly model: string;
  readonly stream: boolean;
}

/**
 * The request's `json` is in one spelling, its text is as it came.
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field.
 */
export function readGoogleRequest(text: string, target: GoogleTarget): InferenceRequest {
  const json = inOneSpelling(parseRequestObject(text), text);
  const parsed = requestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  return { text, json, model: target.model, stream: target.stream, wantsStreamUsage: true };
}

/**
 * What is to be counted: contents alone, or a whole request in `generateContentRequest`.
 * @throws AppError malformed_json, validation_failed.
 */
export function readGoogleCountRequest(text: string, model: string): InferenceRequest {
  const given = parseRequestObject(text);
  const inner = given['generateContentRequest'] ?? given['generate_content_request'];
  if (!isJsonObject(inner)) return readGoogleRequest(text, { model, stream: false });
  return readGoogleRequest(JSON.stringify(inner), { model, stream: false });
}
