/** Likely tokens in chat completions. */
import { asNumber, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';

export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  const content = asObject(value)?.['content'];
  if (!Array.isArray(content)) return undefined;
  return asObjects(content).map((token) => ({
    ...readOne(token),
    top: asObjects(token['top_logprobs']).map(readOne),
  }));
}

function readOne(token: JsonObject): Omit<TokenLogprob, 'top'> {
  const bytes = token['bytes'];
  return {
    token: asText(token['token']) ?? '',
    logprob: asNumber(token['logprob']) ?? 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : null,
  };
}

export function writeLogprobs(logprobs: readonly TokenLogprob[] | undefined): JsonObject | null {
  if (logprobs === undefined) return null;
  const content = logprobs.map(({ top, ...token }) => ({ ...token, top_logprobs: top }));
  return { content, refusal: null };
}
