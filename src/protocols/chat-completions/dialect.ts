/** In what the hosts that speak chat completions differ when they are written to; a provider states its own as data. */

export interface ChatDialect {
  /** OpenAI's newer models know only the first, many other hosts only the second. */
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens';
  /** Takes `cache_control` on content parts. */
  readonly cacheMarks: boolean;
  /** Takes `reasoning_content` and `reasoning_details` back in assistant messages. */
  readonly reasoning: boolean;
  readonly topK: boolean;
}

export const openaiDialect: ChatDialect = {
  maxTokensField: 'max_completion_tokens',
  cacheMarks: false,
  reasoning: true,
  topK: false,
};
