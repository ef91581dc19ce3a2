/** A request without what has no price: members of its own, and tools wherever they stand; everything else keeps its bytes. */
import { bringsTools, declaredTools, isGroup, type ToolHolder, topTools } from './declared-tools.ts';
import { asList, asObject, asObjects, asText, isJsonObject, type JsonObject } from './json/fields.ts';
import { editEntries, editMembers, type MemberEdit } from './json/text.ts';
import type { PricedFeature } from './priced-features.ts';
import type { InferenceRequest } from './translator.ts';

/**
 * The request without features, of which none is to be refused.
 * @returns null where it cannot do without: no tool would be left, or one that goes is the one to be used.
 */
export function withoutFeatures(
  client: string,
  request: InferenceRequest,
  features: readonly PricedFeature[],
): InferenceRequest | null {
  const { text, json } = request;
  const edits = new Map<string, MemberEdit>();
  const changed: Record<string, unknown> = { ...json };
  for (const { member } of features.filter(({ without }) => without === 'leave out')) {
    // Google's fields have a second spelling.
    for (const name of [member, member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]) {
      edits.set(name, null);
      delete changed[name];
    }
  }
  const gone = new Set(features.filter(({ member }) => member === 'tools').map(({ name }) => name));
  if (gone.size > 0) {
    const fit = (tool: unknown) => withoutTool(client, tool, gone);
    const tools = topTools(json);
    const left = tools.map(fit).filter((each) => each !== undefined);
    if (json['tools'] != null) {
      changed['tools'] = left;
      edits.set('tools', (own) =>
        own.startsWith('[') ? editList(own, tools, { fit, fitTool: fit }) : JSON.stringify(left),
      );
    }
    const input = asList(json['input']);
    if (input.some(bringsTools)) {
      const fitItem = (item: unknown) => (bringsTools(item) ? withoutInner(item, fit) : item);
      changed['input'] = input.map(fitItem).filter((each) => each !== undefined);
      edits.set('input', (own) => editList(own, input, { fit: fitItem, fitTool: fit }));
    }
    const isAnyLeft = declaredTools(changed).some(isJsonObject);
    if (!isAnyLeft || isForced(json['tool_choice'], gone, asObjects(declaredTools(json)))) return null;
  }
  return { ...request, text: editMembers(text, edits), json: changed };
}

/** @returns the same tool where it stays, and undefined where it goes. */
type Fit = (tool: unknown) => unknown;

interface Fits {
  /** For the entries of the list. */
  readonly fit: Fit;
  /** For the tools in them. */
  readonly fitTool: Fit;
}

function editList(own: string, list: readonly unknown[], { fit, fitTool }: Fits): string {
  return editEntries(own, (entry, at) => {
    const before = list[at];
    const after = fit(before);
    if (after === before) return entry;
    if (after === undefined) return null;
    if (!isGroup(before) && !bringsTools(before)) return JSON.stringify(after);
    const editTools = (inner: string) => editList(inner, before.tools, { fit: fitTool, fitTool });
    return editMembers(entry, new Map([['tools', editTools]]));
  });
}

/** One that is left without tools goes too, unless it is the answer to a search. */
function withoutInner(holder: ToolHolder, fit: Fit): JsonObject | undefined {
  const tools = holder.tools.map(fit);
  if (tools.every((tool, at) => tool === holder.tools[at])) return holder;
  const left = tools.filter((tool) => tool !== undefined);
  const goes = left.length === 0 && holder['type'] !== 'tool_search_output';
  return goes ? undefined : { ...holder, tools: left };
}

/** One of Google's can be several, and one of Responses a group. */
function withoutTool(client: string, declared: unknown, gone: ReadonlySet<string>): unknown {
  if (!isJsonObject(declared)) return declared;
  if (client !== 'google') {
    if (gone.has((asText(declared['type']) ?? '').slice(0, 100))) return undefined;
    return isGroup(declared) ? withoutInner(declared, (tool) => withoutTool(client, tool, gone)) : declared;
  }
  const members = Object.entries(declared);
  const kept = members.filter(([name]) => !gone.has(name.slice(0, 100)));
  if (kept.length === members.length) return declared;
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** A choice that names a tool that goes, by its type or by its name. */
function isForced(choice: unknown, gone: ReadonlySet<string>, tools: readonly JsonObject[]): boolean {
  const forced = asObject(choice);
  if (forced === undefined) return false;
  const named = [
    forced,
    ...asObjects(forced['tools']),
    ...asObjects(asObject(forced['allowed_tools'])?.['tools']),
  ];
  const names = new Set(
    tools.filter(({ type }) => gone.has(asText(type) ?? '')).flatMap(({ name }) => asText(name) ?? []),
  );
  return named.some(({ type, name }) => gone.has(asText(type) ?? '') || names.has(asText(name) ?? ''));
}
