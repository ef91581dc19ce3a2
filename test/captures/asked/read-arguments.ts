/** The arguments of a call, which some protocols write as JSON inside a text. */
import { isJsonObject, tryParseJson } from '../../../src/protocols/json/fields.ts';

/** Nothing means no arguments; what is no JSON object stays the text that it is. */
export function readArguments(text: unknown): unknown {
  if (text === '' || text === undefined) return {};
  const parsed = typeof text === 'string' ? tryParseJson(text) : text;
  return isJsonObject(parsed) ? parsed : text;
}
