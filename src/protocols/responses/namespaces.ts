/**
 * Tools that a request groups under a name of their own. Other protocols have one name for a tool, so that the two are
 * joined on the way there and taken apart again in the answer.
 */
import { asFilledText, asObjects, asText, type JsonObject } from '../json/fields.ts';

/** How a call names its tool. */
export interface CalledName {
  readonly name: string;
  readonly namespace?: string;
}

const between = '__';

/** A tool that was found by a search is a group of its own, by its own name. */
export function joinName({ name, namespace }: CalledName): string {
  return namespace === undefined || namespace === name ? name : `${namespace}${between}${name}`;
}

/** As the item of a call, or of a result, has it. */
export function calledNameOf(item: JsonObject): CalledName {
  const name = asText(item['name']) ?? '';
  const namespace = asFilledText(item['namespace']);
  return namespace === undefined ? { name } : { name, namespace };
}

/** The tools of a namespace under their joined names; any other tool is itself. */
export function ungroup(tool: JsonObject): readonly JsonObject[] {
  const namespace = asFilledText(tool['name']);
  if (tool['type'] !== 'namespace' || namespace === undefined) return [tool];
  return asObjects(tool['tools']).map((inner) => ({
    ...inner,
    name: joinName({ name: asText(inner['name']) ?? '', namespace }),
  }));
}

/** What each joined name stands for. */
export function namespacesIn(tools: readonly JsonObject[]): ReadonlyMap<string, CalledName> {
  const names = new Map<string, CalledName>();
  for (const tool of tools) {
    const namespace = asFilledText(tool['name']);
    if (tool['type'] !== 'namespace' || namespace === undefined) continue;
    for (const inner of asObjects(tool['tools'])) {
      const called = { name: asText(inner['name']) ?? '', namespace };
      names.set(joinName(called), called);
    }
  }
  return names;
}
