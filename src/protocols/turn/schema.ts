/** JSON Schemas, where vendors differ in what they take. */
import { isJsonObject, type JsonObject } from '../json/fields.ts';
import type { TurnRequest } from './request.ts';

/**
 * Whether a schema keeps OpenAI's rules for strict output: an object without alternatives at its root, every object
 * closed, every property required. A schema that does not would be refused when sent as strict.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  return schema['type'] === 'object' && schema['anyOf'] === undefined && isStrictPart(schema);
}

/** What strict output does not know. */
const looseKeywords = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
] as const;

function isStrictPart(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictPart);
  if (!isJsonObject(schema) || !saysWhatItIs(schema)) return false;
  if (looseKeywords.some((keyword) => schema[keyword] !== undefined)) return false;
  return isClosed(schema) && subschemasOf(schema).every(isStrictPart);
}

/** A schema that takes anything is refused, and so is a list of anything. */
function saysWhatItIs(schema: JsonObject): boolean {
  if (schema['type'] === 'array') return schema['items'] !== undefined;
  return ['type', '$ref', 'anyOf', 'enum', 'const'].some((name) => schema[name] !== undefined);
}

/** True of what is no object. */
function isClosed(schema: JsonObject): boolean {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const names = Object.keys(properties);
  const additional = schema['additionalProperties'];
  if (names.length === 0 && !isObjectSchema(schema)) return additional === undefined || additional === false;
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return (
    additional === false &&
    names.every((name) => required.has(name)) &&
    Object.values(properties).every(isStrictPart)
  );
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isJsonObject(properties);
}

/** Vendors want the schema of a tool's arguments to say that they are an object. */
export function asObjectSchema(schema: JsonObject): JsonObject {
  return schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
}

/** Whether closing a schema leaves the model something to say: an object that names no properties would stay empty. */
export function isClosable(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosable);
  if (!isJsonObject(schema)) return true;
  const properties = isJsonObject(schema['properties']) ? Object.values(schema['properties']) : [];
  return !isMap(schema) && [...properties, ...subschemasOf(schema)].every(isClosable);
}

function isMap(schema: JsonObject): boolean {
  const { type, properties, additionalProperties: additional, patternProperties } = schema;
  if (patternProperties !== undefined) return true;
  if (additional === true || isJsonObject(additional)) {
    return !isJsonObject(properties) || Object.keys(properties).length === 0;
  }
  const isSaidElsewhere = ['$ref', 'anyOf', 'allOf', 'oneOf'].some((name) => schema[name] !== undefined);
  return type === 'object' && properties === undefined && additional === undefined && !isSaidElsewhere;
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

/** For upstreams that cannot be held to a schema: the model is told of it in words. */
export function askForSchema(turn: TurnRequest, schema: JsonObject): TurnRequest {
  const text = `Answer with one JSON object and nothing else. It must fit this JSON schema: ${JSON.stringify(schema)}`;
  return { ...turn, system: [...turn.system, { type: 'text', text }] };
}

/** The same for those that cannot be held to JSON at all. */
export function askForJson(turn: TurnRequest): TurnRequest {
  const text = 'Answer with one JSON object and nothing else.';
  return { ...turn, system: [...turn.system, { type: 'text', text }] };
}

/** For upstreams that take closed objects only, of which one with names of the model's choosing would stay empty. */
export function withClosableFormat(turn: TurnRequest): TurnRequest {
  const format = turn.responseFormat;
  if (format?.type !== 'json_schema' || isClosable(format.schema)) return turn;
  return { ...askForSchema(turn, format.schema), responseFormat: undefined };
}
