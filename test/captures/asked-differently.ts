/** Cases whose recordings were not asked alike in all protocols, so that no conversion could make them equal. */
import type { Asked } from './asked/asked.ts';

/** Without what people choose anew when they write the same request down for another protocol. */
export interface Outline {
  readonly system: string;
  readonly messages: Asked['messages'];
  readonly tools: readonly unknown[];
  readonly toolChoice: Asked['toolChoice'];
  readonly parallel: boolean;
  readonly stop: readonly string[];
  readonly format: unknown;
  readonly reasons: boolean;
  readonly temperature: unknown;
  readonly topP: unknown;
  readonly topK: unknown;
  readonly seed: unknown;
}

export const askedDifferently: Readonly<Record<string, readonly (keyof Outline)[]>> = {
  chatCompletionsAnthropicCacheControlParam: ['messages'],
  jsonSchemaMinimumMaximumParam: ['temperature'],
  parallelToolCallsDisabledParam: ['messages'],
  promptCacheKeyParam: ['messages', 'system'],
  reasoningRequestTruncated: ['reasons'],
  reasoningSummaryParam: ['messages'],
  serviceTierParam: ['messages'],
  textFormatJsonSchemaParam: ['messages'],
  textFormatJsonSchemaWithDescriptionParam: ['messages'],
};
