/** How an answer ended and what it took. The API's counts are disjoint already; it does not tell reasoning apart. */
import type { TokenUsage } from '../../base/token-usage.ts';
import { asFilledText, asObject, asObjects, asTokenCount, type JsonObject } from '../json/fields.ts';
import type { Stop } from '../turn/answer.ts';

/** Null when it is no `usage` object. */
export function readConverseUsage(value: unknown): TokenUsage | null {
  const usage = asObject(value);
  const input = asTokenCount(usage?.['inputTokens']);
  const output = asTokenCount(usage?.['outputTokens']);
  if (usage === undefined || (input === undefined && output === undefined)) return null;
  const written = asTokenCount(usage['cacheWriteInputTokens']);
  const for1h = writtenFor('1h', usage);
  return {
    inputTokens: input ?? 0,
    cacheReadTokens: asTokenCount(usage['cacheReadInputTokens']) ?? 0,
    cacheWrite5mTokens: written === undefined ? writtenFor('5m', usage) : Math.max(0, written - for1h),
    cacheWrite1hTokens: for1h,
    outputTokens: output ?? 0,
    reasoningTokens: 0,
    estimated: false,
  };
}

function writtenFor(ttl: string, usage: JsonObject): number {
  return asObjects(usage['cacheDetails'])
    .filter((detail) => detail['ttl'] === ttl)
    .reduce((sum, detail) => sum + (asTokenCount(detail['inputTokens']) ?? 0), 0);
}

const reasons: Readonly<Record<string, Stop['reason']>> = {
  end_turn: 'end',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  content_filtered: 'refusal',
  guardrail_intervened: 'refusal',
  model_context_window_exceeded: 'context_window',
};

/** @param from a whole answer, or the event that tells the stop. A word that is not known yet is an end like any other. */
export function readConverseStop(from: JsonObject): Stop {
  const reason = reasons[asFilledText(from['stopReason']) ?? ''] ?? 'end';
  const ofModel = asObject(from['additionalModelResponseFields']);
  const sequence =
    asFilledText(asObject(ofModel?.['delta'])?.['stop_sequence']) ?? asFilledText(ofModel?.['stop_sequence']);
  return { reason, sequence };
}
