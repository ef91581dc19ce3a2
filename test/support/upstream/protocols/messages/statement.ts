/** Reads what recorded messages, whole or event by event, say of their content and usage. */
import { type JsonObject, readList, readNumber, readObject, readText } from '../../json.ts';
import type { Usage } from '../../usage.ts';
import type { Statement } from '../protocol.ts';

/** The counts stand in the answer, in the `message` of the first event, and in the last but one. */
export function readStatement(message: unknown): Statement {
  const usage =
    readUsage(readObject(message, 'usage')) ?? readUsage(readObject(readObject(message, 'message'), 'usage'));
  const holdsContent = readList(message, 'content').length > 0 || holdsPiece(readObject(message, 'delta'));
  return { usage, tokens: holdsContent ? 1 : 0 };
}

/** Undefined without an input count: a last statement of the output alone would undo the first one's input. */
function readUsage(usage: JsonObject): Usage | undefined {
  const input = readNumber(usage, 'input_tokens');
  const output = readNumber(usage, 'output_tokens');
  if (input === undefined || output === undefined) return undefined;
  const cachedTokens = readNumber(usage, 'cache_read_input_tokens') ?? 0;
  return {
    promptTokens: input + cachedTokens + (readNumber(usage, 'cache_creation_input_tokens') ?? 0),
    cachedTokens,
    completionTokens: output,
    reasoningTokens: readNumber(readObject(usage, 'output_tokens_details'), 'thinking_tokens') ?? 0,
  };
}

function holdsPiece(delta: JsonObject): boolean {
  return ['text', 'thinking', 'partial_json'].some((field) => (readText(delta, field) ?? '') !== '');
}
