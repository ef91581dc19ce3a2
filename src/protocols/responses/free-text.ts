/**
 * Free-text tools of a caller over a model that calls tools with JSON only: what it wrote there as the one text of an
 * object is the input.
 */
import { tryParseJson } from '../json-body.ts';
import { asObject, asText } from '../json-fields.ts';
import type { JsonObject } from '../turn/tools.ts';
import { declaredTools } from './read-tools.ts';

/** Names of the free-text tools that a request declares. */
export function customToolNames(json: JsonObject): ReadonlySet<string> {
  const custom = declaredTools(json).filter((tool) => tool['type'] === 'custom');
  return new Set(custom.flatMap((tool) => asText(tool['name']) ?? []));
}

/** What is no such object was meant as it is. */
export function readFreeText(input: string): string {
  const values = Object.values(asObject(tryParseJson(input)) ?? {});
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : input;
}
