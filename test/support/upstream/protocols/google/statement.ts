/** Reads what recorded content, whole or in chunks, says of its parts and usage. */
import { isObject, readList, readNumber, readObject } from '../../json.ts';
import type { Statement } from '../protocol.ts';

export function readStatement(message: unknown): Statement {
  const counts = readObject(message, 'usageMetadata');
  const promptTokens = readNumber(counts, 'promptTokenCount');
  const reasoningTokens = readNumber(counts, 'thoughtsTokenCount') ?? 0;
  const speaks = readList(message, 'candidates').some((candidate) =>
    readList(readObject(candidate, 'content'), 'parts').some((part) => isObject(part) && part['text'] !== ''),
  );
  const usage =
    promptTokens === undefined
      ? undefined
      : {
          promptTokens,
          cachedTokens: readNumber(counts, 'cachedContentTokenCount') ?? 0,
          completionTokens: (readNumber(counts, 'candidatesTokenCount') ?? 0) + reasoningTokens,
          reasoningTokens,
        };
  return { usage, tokens: speaks ? 1 : 0 };
}
