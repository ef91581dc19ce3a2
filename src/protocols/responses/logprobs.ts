/** Likely tokens in responses. */
import { asNumber, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';

/** Undefined when there are none. */
export function readLogprobs(value: unknown): readonly TokenLogprob[] | undefined {
  const tokens = asObjects(value).map((token) => ({
    ...readOne(token),
    top: asObjects(token['top_logprobs']).map(readOne),
  }));
  return tokens.length === 0 ? undefined : tokens;
}

function readOne(token: JsonObject): Omit<TokenLogprob, 'top'> {
  const bytes = token['bytes'];
  return {
    token: asText(token['token']) ?? '',
    logprob: asNumber(token['logprob']) ?? 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : null,
  };
}

export function writeLogprobs(logprobs: readonly TokenLogprob[] = []): readonly JsonObject[] {
  return logprobs.map(({ top, ...token }) => ({ ...token, top_logprobs: top }));
}
