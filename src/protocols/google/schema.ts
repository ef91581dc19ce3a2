/** Schemas in the older spelling of Gemini, which writes its types in capitals, as JSON Schema. */
import { asObject, isJsonObject, type JsonObject } from '../json/fields.ts';

export function readSchema(given: JsonObject, names: { json: string; old: string }): JsonObject | undefined {
  const old = asObject(given[names.old]);
  return asObject(given[names.json]) ?? (old === undefined ? undefined : readOldSchema(old));
}

function readOldSchema(schema: JsonObject): JsonObject {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'type' && typeof value === 'string') read[name] = value.toLowerCase();
    else if (name === 'properties' && isJsonObject(value)) read[name] = readEach(value);
    else if (name === 'items' || name === 'anyOf') read[name] = readAny(value);
    else if (name !== 'nullable') read[name] = value;
  }
  return schema['nullable'] === true ? { anyOf: [read, { type: 'null' }] } : read;
}

function readEach(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, readAny(schema)]));
}

function readAny(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readAny);
  return isJsonObject(schema) ? readOldSchema(schema) : schema;
}
