/** Cases whose recordings were not asked alike in all protocols, so that no conversion could make them equal. */
import type { Outline } from './outline.ts';

export const askedDifferently: Readonly<Record<string, readonly (keyof Outline)[]>> = {
  chatCompletionsAnthropicCacheControlParam: ['texts'],
  jsonSchemaMinimumMaximumParam: ['temperature'],
  parallelToolCallsDisabledParam: ['texts'],
  promptCacheKeyParam: ['system'],
};
