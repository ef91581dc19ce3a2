/**
 * generateContent requests: what every request must have is checked, every other field is left as it came. Model and
 * streaming stand in the URL.
 */
import { z } from 'zod';
import { asFieldIssues, parseJsonObject } from '../json/body.ts';
import type { InferenceRequest } from '../translator.ts';

const part = z.looseObject({
  text: z.string().optional(),
  thoughtSignature: z.string().min(1).optional(),
  functionCall: z.looseObject({ name: z.string().min(1), args: z.looseObject({}).optional() }).optional(),
  functionResponse: z.looseObject({ name: z.string().min(1), response: z.looseObject({}) }).optional(),
  inlineData: z.looseObject({ mimeType: z.string().min(1), data: z.string().min(1) }).optional(),
  fileData: z.looseObject({ fileUri: z.string().min(1) }).optional(),
});
const content = z.looseObject({
  role: z.enum(['user', 'model', 'function']).optional(),
  parts: z.array(part).min(1),
});

const requestSchema = z.looseObject({
  contents: z.array(content).min(1),
  systemInstruction: z.looseObject({ parts: z.array(z.looseObject({ text: z.string() })).min(1) }).optional(),
  tools: z.array(z.looseObject({})).optional(),
  toolConfig: z.looseObject({}).optional(),
  generationConfig: z
    .looseObject({
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().min(0).max(1).optional(),
      topK: z.int().min(0).optional(),
      seed: z.int32().optional(),
      maxOutputTokens: z.int().min(1).optional(),
      candidateCount: z.int().min(1).max(8).optional(),
      stopSequences: z.array(z.string()).max(5).optional(),
    })
    .optional(),
});

/**
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field.
 */
export function readGoogleRequest(text: string, url: { model: string; stream: boolean }): InferenceRequest {
  const json = parseJsonObject(text);
  const parsed = requestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  return { text, json, model: url.model, stream: url.stream, wantsStreamUsage: true };
}
