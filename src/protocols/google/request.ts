/**
 * This file checks generateContent and countTokens requests: what every request must have, and the fields that are read
 * here. All other fields are left as they came. Model and streaming stand in the URL. The schema decides and says what is
 * wrong, but builds many objects for a request; the quick look in front of it builds none, and lets most requests pass.
 */
import { z } from 'zod';
import {
  asFieldIssues,
  isAbsent,
  isCountWithin,
  isListOf,
  isNumberWithin,
  isTextOrAbsent,
  listOf,
  parseRequestObject,
} from '../json/body.ts';
import { isJsonObject, type JsonObject } from '../json/fields.ts';
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

const mostCandidates = 8;
const mostStopSequences = 5;

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
      candidateCount: z.int().min(1).max(mostCandidates).nullish(),
      stopSequences: listOf(z.string(), { most: mostStopSequences }).nullish(),
    })
    .nullish(),
});

/** @throws AppError validation_failed with one entry a field. */
export function checkBySchema(json: JsonObject): void {
  const parsed = requestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
}

/** True only for what the schema takes; false where that is not plain to see, so that the schema must decide. */
export function isPlainlySound(json: JsonObject): boolean {
  const { contents, systemInstruction, tools, toolConfig, generationConfig } = json;
  return (
    isFilledListOf(contents, isContent) &&
    (isAbsent(systemInstruction) ||
      (isJsonObject(systemInstruction) && isFilledListOf(systemInstruction['parts'], isInstruction))) &&
    (isAbsent(tools) || isListOf(tools, isJsonObject)) &&
    isObjectOrAbsent(toolConfig) &&
    (isAbsent(generationConfig) || isGenerationConfig(generationConfig))
  );
}

const isFilledListOf = (value: unknown, isEntry: (entry: unknown) => boolean): boolean =>
  isListOf(value, isEntry) && value.length > 0;

const isObjectOrAbsent = (value: unknown): boolean => isAbsent(value) || isJsonObject(value);

const isText = (value: unknown): boolean => typeof value === 'string';

const isFilledText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isContent(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { role, parts } = value;
  const isKnown = isAbsent(role) || role === 'user' || role === 'model' || role === 'function';
  return isKnown && isFilledListOf(parts, isPart);
}

function isPart(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { functionCall, functionResponse, inlineData, fileData } = value;
  return (
    isTextOrAbsent(value['text']) &&
    isTextOrAbsent(value['thoughtSignature']) &&
    (isAbsent(functionCall) || (isNamed(functionCall) && isObjectOrAbsent(functionCall['args']))) &&
    (isAbsent(functionResponse) ||
      (isNamed(functionResponse) && isJsonObject(functionResponse['response']))) &&
    (isAbsent(inlineData) || isInlineData(inlineData)) &&
    (isAbsent(fileData) || (isJsonObject(fileData) && isFilledText(fileData['fileUri'])))
  );
}

const isNamed = (value: unknown): value is JsonObject => isJsonObject(value) && isFilledText(value['name']);

const isInlineData = (value: unknown): boolean =>
  isJsonObject(value) && isFilledText(value['mimeType']) && isFilledText(value['data']);

const isInstruction = (value: unknown): boolean => isJsonObject(value) && isText(value['text']);

const leastInt32 = -(2 ** 31);
const mostInt32 = 2 ** 31 - 1;

function isGenerationConfig(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { stopSequences } = value;
  return (
    isNumberWithin(value['temperature'], 0, 2) &&
    isNumberWithin(value['topP'], 0, 1) &&
    isCountWithin(value['topK'], 0) &&
    isCountWithin(value['seed'], leastInt32, mostInt32) &&
    isCountWithin(value['maxOutputTokens'], 1) &&
    isCountWithin(value['candidateCount'], 1, mostCandidates) &&
    (isAbsent(stopSequences) ||
      (isListOf(stopSequences, isText) && stopSequences.length <= mostStopSequences))
  );
}

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
  if (!isPlainlySound(json)) checkBySchema(json);
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
