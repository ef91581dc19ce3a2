/** Free-text tools of a caller, which a model that calls tools with JSON only is given as functions. */
import { asText, type JsonObject } from '../json/fields.ts';
import { declaredTools } from './read-tools.ts';

/** Names of the free-text tools that a request declares. */
export function customToolNames(json: JsonObject): ReadonlySet<string> {
  const custom = declaredTools(json).filter((tool) => tool['type'] === 'custom');
  return new Set(custom.flatMap((tool) => asText(tool['name']) ?? []));
}
