/**
 * This file brings generateContent requests to one spelling. Google's hosts read the JSON of protocol buffers: field names
 * in camel case or as `snake_case`, and one thing where a list of things is meant. Its documentation shows all of these.
 */
import { isJsonObject, type JsonObject } from '../json/fields.ts';

/** The end of a name in snake case, and its colon. Text that a user wrote cannot look so: its quotes are escaped. */
const snakeCaseMember = /_[a-z]+"\s*:/;
/** The values of these members belong to whoever called, down to their names. */
const freeMembers: ReadonlySet<string> = new Set([
  'args',
  'response',
  'default',
  'example',
  'enum',
  'required',
  'parametersJsonSchema',
  'responseJsonSchema',
  'labels',
  'metadata',
]);
/** The names below these members belong to whoever called, but not the values. */
const namingMembers: ReadonlySet<string> = new Set(['properties']);
const listMembers: ReadonlySet<string> = new Set(['contents', 'parts', 'tools', 'functionDeclarations']);
/** No request that means something is nested deeper. */
const deepest = 64;

/** @param text What `json` was parsed from, in which a name of the other spelling is found sooner. */
export function inOneSpelling(json: JsonObject, text: string): JsonObject {
  const isSpeltAnew = snakeCaseMember.test(text);
  return isSpeltAnew || hasLoneItems(json) ? readMembers(json, deepest) : json;
}

/** Looks where the documentation shows it, so that requests of official clients need not be walked through. */
function hasLoneItems({ contents, tools, systemInstruction }: JsonObject): boolean {
  if (isJsonObject(contents) || isJsonObject(tools)) return true;
  const all = Array.isArray(contents) ? [...contents, systemInstruction] : [systemInstruction];
  return all.some((content) => isJsonObject(content) && isJsonObject(content['parts']));
}

function readMembers(json: JsonObject, depth: number): JsonObject {
  const read: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(json)) {
    const name = camelCase(given);
    if (freeMembers.has(name)) read[name] = value;
    else if (namingMembers.has(name) && isJsonObject(value)) read[name] = readValues(value, depth - 1);
    else read[name] = asList(name, readAny(value, depth - 1));
  }
  return read;
}

const readValues = (json: JsonObject, depth: number): JsonObject =>
  Object.fromEntries(Object.entries(json).map(([name, value]) => [name, readAny(value, depth)]));

function readAny(value: unknown, depth: number): unknown {
  // A number that keeps its spelling looks like an object.
  if (depth <= 0 || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((item) => readAny(item, depth - 1));
  return isJsonObject(value) ? readMembers(value, depth) : value;
}

const asList = (name: string, value: unknown): unknown =>
  listMembers.has(name) && isJsonObject(value) ? [value] : value;

const camelCase = (name: string): string =>
  name.includes('_') ? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name;
