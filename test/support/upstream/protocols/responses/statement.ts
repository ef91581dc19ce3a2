/** Reads what recorded responses, whole or event by event, say of their content and usage. */
import { isObject, readList, readNumber, readObject, readText } from '../../json.ts';
import type { Usage } from '../../usage.ts';
import type { Statement } from '../protocol.ts';

export function readStatement(message: unknown): Statement {
  const response = isObject(message) && 'response' in message ? readObject(message, 'response') : message;
  const isDelta = readText(message, 'type')?.endsWith('.delta') === true;
  const isWhole = message === response && readList(message, 'output').length > 0;
  return { usage: readUsage(readObject(response, 'usage')), tokens: isDelta || isWhole ? 1 : 0 };
}

function readUsage(usage: unknown): Usage | undefined {
  const promptTokens = readNumber(usage, 'input_tokens');
  const completionTokens = readNumber(usage, 'output_tokens');
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: readNumber(readObject(usage, 'input_tokens_details'), 'cached_tokens') ?? 0,
    reasoningTokens: readNumber(readObject(usage, 'output_tokens_details'), 'reasoning_tokens') ?? 0,
  };
}
