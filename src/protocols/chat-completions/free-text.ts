/** Free-text tools of a caller: what it calls them, and whether its request can do without them. */
import { asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';

const isFreeText = (one: JsonObject): boolean => one['type'] === 'custom';

/** Names of the free-text tools that a request declares. */
export function customToolNames(json: JsonObject): ReadonlySet<string> {
  const custom = asObjects(json['tools']).filter(isFreeText);
  return new Set(custom.flatMap((tool) => asText(asObject(tool['custom'])?.['name']) ?? []));
}

/** Declares such tools, or has used some before. */
export function hasFreeText(json: JsonObject): boolean {
  return (
    asObjects(json['tools']).some(isFreeText) ||
    asObjects(json['messages']).some((message) => asObjects(message['tool_calls']).some(isFreeText))
  );
}
