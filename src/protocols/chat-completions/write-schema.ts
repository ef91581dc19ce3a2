/** JSON Schemas as OpenAI takes them, which refuses objects without properties and lists without items. */
import { isJsonObject, type JsonObject } from '../json/fields.ts';

/** Of a tool's arguments, which are an object. */
export function writeParameters(schema: JsonObject): JsonObject {
  return writeSchema('type' in schema ? schema : { ...schema, type: 'object' });
}

/** Of an answer. A schema that describes nothing but an object need not have said so. */
export function writeAnswerSchema(schema: JsonObject): JsonObject {
  return alternatives.some((name) => name in schema) ? writeSchema(schema) : writeParameters(schema);
}

const alternatives = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'] as const;

const mapsOfSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
]);
const schemaPlaces: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'allOf',
  'oneOf',
  'not',
]);

function writeSchema(schema: JsonObject): JsonObject {
  const written = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, writeMember(name, value)]),
  );
  const types: readonly unknown[] = [schema['type']].flat();
  return {
    ...written,
    ...(types.includes('object') && !isJsonObject(schema['properties']) ? { properties: {} } : {}),
    ...(types.includes('array') && schema['items'] === undefined ? { items: {} } : {}),
  };
}

function writeMember(name: string, value: unknown): unknown {
  if (schemaPlaces.has(name)) return writeAny(value);
  if (!mapsOfSchemas.has(name) || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, writeAny(schema)]));
}

function writeAny(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(writeAny);
  return isJsonObject(schema) ? writeSchema(schema) : schema;
}
