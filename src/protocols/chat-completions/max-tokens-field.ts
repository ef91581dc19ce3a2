/** How the bound on the output is called, which depends on the host and on the model. */
import type { ChatDialect, MaxTokensField } from './dialect.ts';

/** OpenAI's newer models refuse `max_tokens`, wherever they are served. */
const refusesMaxTokens = /(^|\/)(o[1-9]|gpt-([5-9]|\d\d))\b/;

/** The names that are understood; the first is to be written. */
export function maxTokensFields(modelId: string, dialect: ChatDialect): ChatDialect['maxTokensFields'] {
  return refusesMaxTokens.test(modelId) ? newerFields : dialect.maxTokensFields;
}

const newerFields: readonly [MaxTokensField] = ['max_completion_tokens'];
