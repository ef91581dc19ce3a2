/** This file reads and writes how an answer ended and what it took: usage, stop reasons, logprobs, thought signatures. */
import { type Extras, type ExtrasSoFar, filledExtras, type TokenUsage } from '../../base/token-usage.ts';
import {
  asFilledText,
  asNumber,
  asObject,
  asObjects,
  asText,
  asTexts,
  asTokenCount,
  isJsonObject,
  type JsonObject,
} from '../json/fields.ts';
import type { UpstreamComplaint } from '../translator.ts';
import type { Stop, TokenLogprob } from '../turn/answer.ts';
import { packedPrefix, packSignature, type Signature, unpackSignature } from '../turn/signature.ts';
import { readGeminiModel } from './models.ts';

/** Google counts what a cache served inside the prompt, and thoughts beside the candidates. Null when nothing is counted. */
export function readGoogleUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = asTokenCount(usage['promptTokenCount']);
  const candidates = asTokenCount(usage['candidatesTokenCount']);
  if (prompt === undefined && candidates === undefined) return null;
  const promptTokens = prompt ?? 0;
  const cacheReadTokens = Math.min(asTokenCount(usage['cachedContentTokenCount']) ?? 0, promptTokens);
  const reasoningTokens = asTokenCount(usage['thoughtsTokenCount']) ?? 0;
  return {
    // The model also reads what Google's own tools found, which the prompt's count leaves out.
    inputTokens: promptTokens - cacheReadTokens + (asTokenCount(usage['toolUsePromptTokenCount']) ?? 0),
    cacheReadTokens,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: (candidates ?? 0) + reasoningTokens,
    reasoningTokens,
    estimated: false,
    ...readExtras(usage),
  };
}

function readExtras(usage: JsonObject): { readonly extras?: Extras } {
  // What a cache served is in the prompt's details too.
  const heard =
    tokensOf(usage['promptTokensDetails'], 'AUDIO') - tokensOf(usage['cacheTokensDetails'], 'AUDIO');
  const extras = filledExtras({
    audio_input: Math.max(0, heard),
    audio_output: tokensOf(usage['candidatesTokensDetails'], 'AUDIO'),
    image_output: tokensOf(usage['candidatesTokensDetails'], 'IMAGE'),
    tier: tiers.find((known) => known === usage['serviceTier']),
  });
  return extras === undefined ? {} : { extras };
}

/** The tier that counts in the middle of an answer name. */
export function readToldTier(usage: unknown): ExtrasSoFar['tier'] {
  const told = asText(asObject(usage)?.['serviceTier']);
  return told === undefined ? undefined : (tiers.find((known) => known === told) ?? 'usual');
}

const tiers = ['flex', 'batch', 'priority'] as const;

const tokensOf = (details: unknown, modality: string): number =>
  asObjects(details).reduce(
    (sum, each) => sum + (each['modality'] === modality ? (asTokenCount(each['tokenCount']) ?? 0) : 0),
    0,
  );

/**
 * The searches that an answer or a piece of one says were made for it. Up to Gemini 2.5 a prompt that was searched for is
 * charged once, from Gemini 3 on each query is (https://ai.google.dev/gemini-api/docs/pricing, November 2026).
 */
export function countSearches(piece: JsonObject): number {
  let queries = 0;
  for (const candidate of asObjects(piece['candidates'])) {
    queries += asTexts(asObject(candidate['groundingMetadata'])?.['webSearchQueries']).length;
  }
  const { searchesBy } = readGeminiModel(asText(piece['modelVersion']) ?? '');
  return searchesBy === 'prompt' ? Math.min(1, queries) : queries;
}

export function withSearches<Counts extends TokenUsage | null>(usage: Counts, searches: number): Counts {
  if (usage === null || searches === 0) return usage;
  return { ...usage, extras: { ...usage.extras, web_search: searches } };
}

export function writeGoogleUsage(usage: TokenUsage): JsonObject {
  const { cacheReadTokens, outputTokens, reasoningTokens } = usage;
  const promptTokenCount =
    usage.inputTokens + cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return {
    promptTokenCount,
    candidatesTokenCount: outputTokens - reasoningTokens,
    totalTokenCount: promptTokenCount + outputTokens,
    ...(cacheReadTokens > 0 ? { cachedContentTokenCount: cacheReadTokens } : {}),
    ...(reasoningTokens > 0 ? { thoughtsTokenCount: reasoningTokens } : {}),
  };
}

const refusals: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** The model failed in the middle of its answer. A client that took this for an end would act on half an answer. */
const failures: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
]);

/** The protocol has no reason of its own for an end in calls. A reason that is not known here is an end like any other. */
export function readGoogleStop(reason: string, hasCalls: boolean): Stop {
  if (reason === 'MAX_TOKENS') return { reason: 'max_tokens' };
  if (refusals.has(reason)) return { reason: 'refusal' };
  return { reason: hasCalls ? 'tool_use' : 'end' };
}

/** Null when the candidate has not failed. */
export function readFailure(candidate: JsonObject): UpstreamComplaint | null {
  const reason = asFilledText(candidate['finishReason']);
  if (reason === undefined || !failures.has(reason)) return null;
  const told = asFilledText(candidate['finishMessage']);
  const message = `The model broke off its answer (${reason})${told === undefined ? '.' : `: ${told}`}`;
  return { message, code: reason, type: null, param: null, status: null };
}

export function writeGoogleStop({ reason }: Stop): string {
  switch (reason) {
    case 'max_tokens':
    case 'context_window':
      return 'MAX_TOKENS';
    case 'refusal':
      return 'SAFETY';
    case 'end':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause':
      return 'STOP';
  }
}

export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  const result = asObject(value);
  const chosen = asObjects(result?.['chosenCandidates']);
  if (chosen.length === 0) return undefined;
  const top = asObjects(result?.['topCandidates']);
  return chosen.map((token, at) => ({
    ...readOne(token),
    top: asObjects(top[at]?.['candidates']).map(readOne),
  }));
}

function readOne(token: JsonObject): Omit<TokenLogprob, 'top'> {
  return {
    token: asText(token['token']) ?? '',
    logprob: asNumber(token['logProbability']) ?? 0,
    bytes: null,
  };
}

export function writeLogprobs(logprobs: readonly TokenLogprob[] | undefined): JsonObject | undefined {
  if (logprobs === undefined) return undefined;
  return {
    chosenCandidates: logprobs.map(writeOne),
    topCandidates: logprobs.map(({ top }) => ({ candidates: top.map(writeOne) })),
  };
}

function writeOne({ token, logprob }: Omit<TokenLogprob, 'top'>): JsonObject {
  return { token, logProbability: logprob };
}

/** Google documents this value for a call that another model made, which has no signature for that reason. */
export const foreignCall = 'skip_thought_signature_validator';

/** How every packed signature begins once it is base64. */
export const packedStart = Buffer.from(packedPrefix).toString('base64').slice(0, 9);

export function readThoughtSignature(part: JsonObject): Signature | undefined {
  const text = asFilledText(part['thoughtSignature']);
  if (text === undefined || text === foreignCall) return undefined;
  const packed = text.startsWith(packedStart) ? Buffer.from(text, 'base64').toString('utf8') : text;
  const signature = unpackSignature(packed, 'google');
  // What merely looks packed is one of Google's own.
  return signature.origin === 'google' ? { origin: 'google', value: text } : signature;
}

/** Writes a signature for a client, which is to bring back also what other vendors have signed. */
export function writeThoughtSignature(signature: Signature | undefined): string | undefined {
  if (signature === undefined || signature.origin === 'google') return signature?.value;
  // The field is one of bytes: clients in typed languages decode it, and break on what is not base64.
  return Buffer.from(packSignature(signature, 'google')).toString('base64');
}
