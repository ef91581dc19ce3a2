/** The tools that a request declares, wherever its protocol lets them stand. */
import { isJsonObject, type JsonObject } from './json/fields.ts';

/**
 * Entry by entry, whatever stands there: one host passes over what another takes. Responses have tools in groups too, and
 * in items of the conversation; a group is an entry itself, with those in it behind it.
 */
export function declaredTools(json: JsonObject): readonly unknown[] {
  const own = topTools(json);
  const later = Array.isArray(json['input']) ? json['input'].filter(bringsTools) : none;
  if (later.length === 0 && !own.some(isGroup)) return own;
  return [...own, ...later.flatMap(({ tools }) => tools)].flatMap((tool) =>
    isGroup(tool) ? [tool, ...tool.tools] : [tool],
  );
}

/** Those of the request itself. */
export function topTools({ tools }: JsonObject): readonly unknown[] {
  if (tools == null) return none;
  return Array.isArray(tools) ? tools : [tools];
}

const none: readonly never[] = [];

/** What holds tools of its own. */
export type ToolHolder = JsonObject & { readonly tools: readonly unknown[] };

export const isGroup = (tool: unknown): tool is ToolHolder =>
  isJsonObject(tool) && tool['type'] === 'namespace' && Array.isArray(tool['tools']);

/** An item that declares tools in the middle of a conversation, or tells those that a search has found. */
export const bringsTools = (item: unknown): item is ToolHolder =>
  isJsonObject(item) && bringing.has(item['type']) && Array.isArray(item['tools']);

const bringing: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);
