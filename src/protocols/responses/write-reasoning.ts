/** How much to think, and what of it to show. */
import { isPlainModel } from '../chat-completions/models.ts';
import { effortFor } from '../chat-completions/write-request.ts';
import type { JsonObject } from '../json/fields.ts';
import type { UpstreamModel } from '../protocol.ts';
import type { Reasoning } from '../turn/request.ts';

/** Models that do not think are asked for their thinking as well, and refuse to be asked. */
export function doesReason({ id, reasons }: UpstreamModel): boolean {
  return reasons ?? !isPlainModel(id);
}

/** A summary is asked for where the caller's protocol would show the thinking. */
export function writeReasoning(
  reasoning: Reasoning | undefined,
  model: UpstreamModel,
): JsonObject | undefined {
  if (reasoning === undefined || reasoning.thinking === 'off') return undefined;
  const effort = effortFor(reasoning, model);
  const isShown = reasoning.thinking !== undefined && effort !== 'none';
  if (effort === undefined && !isShown) return undefined;
  return { effort, summary: isShown ? 'auto' : undefined };
}
