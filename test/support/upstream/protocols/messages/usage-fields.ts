/** Counts as the messages protocol states them: what the cache served is not part of the input. */
import type { Usage } from '../../usage.ts';

export function usageFields(usage: Usage): object {
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: usage.completionTokens,
    ...(usage.reasoningTokens > 0 && {
      output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    }),
    service_tier: 'standard',
  };
}
