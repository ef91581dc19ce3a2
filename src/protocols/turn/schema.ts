/** JSON Schemas, where vendors differ in what they take. */
import { isJsonObject } from '../json-body.ts';
import type { JsonObject } from './tools.ts';

/**
 * Whether a schema keeps OpenAI's rules for strict output: every object closed, every property required. A schema that
 * does not would be refused when sent as strict.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isJsonObject(schema)) return true;
  const properties = schema['properties'];
  if (isJsonObject(properties)) {
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    if (schema['additionalProperties'] !== false) return false;
    if (!Object.keys(properties).every((name) => required.has(name))) return false;
    if (!Object.values(properties).every(isStrictSchema)) return false;
  }
  return subschemasOf(schema).every(isStrictSchema);
}

/** Bounds that Anthropic's structured output refuses; it is told of them in words instead. */
const unsupportedBounds = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
] as const;

/** Closes every object and moves bounds into descriptions, as Anthropic's structured output demands. */
export function closeSchema(schema: JsonObject): JsonObject {
  const closed: Record<string, unknown> = {};
  const bounds: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (isUnsupportedBound(name, value)) bounds.push(`${name}: ${JSON.stringify(value)}`);
    else if (mapsOfSchemas.has(name) && isJsonObject(value)) closed[name] = closeEach(value);
    else if (schemaPlaces.has(name)) closed[name] = closeAny(value);
    else closed[name] = value;
  }
  if (schema['type'] === 'object' || isJsonObject(schema['properties']))
    closed['additionalProperties'] = false;
  if (bounds.length > 0) {
    const description = schema['description'];
    const told = `(${bounds.join(', ')})`;
    closed['description'] = typeof description === 'string' ? `${description} ${told}` : told;
  }
  return closed;
}

const mapsOfSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const schemaPlaces: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'allOf', 'oneOf', 'not']);

function isUnsupportedBound(name: string, value: unknown): boolean {
  if (name === 'minItems') return typeof value === 'number' && value > 1;
  return unsupportedBounds.some((bound) => bound === name);
}

function closeEach(schemas: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closeAny(schema)]));
}

function closeAny(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeAny);
  return isJsonObject(schema) ? closeSchema(schema) : schema;
}

function subschemasOf(schema: Record<string, unknown>): unknown[] {
  const inMaps = ['$defs', 'definitions'].flatMap((name) => {
    const map = schema[name];
    return isJsonObject(map) ? Object.values(map) : [];
  });
  const inPlaces = [...schemaPlaces].flatMap((name) => (schema[name] === undefined ? [] : [schema[name]]));
  return [...inMaps, ...inPlaces];
}
