/**
 * Schemas that an answer, or the arguments of a tool, are held to by Anthropic, as its documentation has them in November
 * 2026 (https://platform.claude.com/docs/en/build-with-claude/structured-outputs): closed objects, without bounds, without
 * recursion, and in one request no more than it can compile.
 */
import { isJsonObject, type JsonObject } from '../json/fields.ts';
import type { TurnRequest } from './request.ts';
import { askForSchema, mapsOfSchemas, referredSchema, schemaPlaces, subschemasOf } from './schema.ts';

/** Of one request, over all its strict tools and the schema of its answer. */
const most = { tools: 20, optional: 24, unions: 16 } as const;

/** What is left of the most that a request may hold its model to. */
export class ClosedRoom {
  #tools: number = most.tools;
  #optional: number = most.optional;
  #unions: number = most.unions;

  /** For the answer: it has been looked at before. */
  constructor({ responseFormat: format }: Pick<TurnRequest, 'responseFormat'>) {
    if (format?.type === 'json_schema') this.#take(format.schema);
  }

  /** Whether the arguments of one more tool can be held to its schema. */
  takesTool(schema: JsonObject): boolean {
    if (this.#tools === 0 || !hasNoMaps(schema) || !this.#take(schema)) return false;
    this.#tools -= 1;
    return true;
  }

  #take(schema: JsonObject): boolean {
    const { isRefused, optional, unions } = measure(schema);
    if (isRefused || optional > this.#optional || unions > this.#unions) return false;
    this.#optional -= optional;
    this.#unions -= unions;
    return true;
  }
}

/**
 * Whether a schema can be closed at all: closing leaves the model something to say, where an object that names no
 * properties would stay empty, and what comes of it is taken.
 */
export function isClosable(schema: JsonObject): boolean {
  const { isRefused, optional, unions } = measure(schema);
  return hasNoMaps(schema) && !isRefused && optional <= most.optional && unions <= most.unions;
}

/** For upstreams that take closed objects only, of which one with names of the model's choosing would stay empty. */
export function withClosableFormat(turn: TurnRequest): TurnRequest {
  const format = turn.responseFormat;
  if (format?.type !== 'json_schema' || isClosable(format.schema)) return turn;
  return { ...askForSchema(turn, format.schema), responseFormat: undefined };
}

function hasNoMaps(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(hasNoMaps);
  if (!isJsonObject(schema)) return true;
  const properties = isJsonObject(schema['properties']) ? Object.values(schema['properties']) : [];
  return !isMap(schema) && [...properties, ...subschemasOf(schema)].every(hasNoMaps);
}

interface Measured {
  /** It leads back into itself or out of itself, or joins what cannot be joined. */
  isRefused: boolean;
  /** Properties that may be left out, and those of several types. */
  optional: number;
  unions: number;
}

/** No schema that people write leads deeper, references followed. */
const deepest = 400;

/** Each schema counts once, however many refer to it, so that it takes no longer than reading them. */
function measure(root: JsonObject): Measured {
  const measured: Measured = { isRefused: false, optional: 0, unions: 0 };
  const states = new Map<JsonObject, 'open' | 'done'>();
  const lookAt = (schema: unknown, depth: number): void => {
    if (Array.isArray(schema)) for (const one of schema) lookAt(one, depth);
    if (!isJsonObject(schema) || measured.isRefused || states.get(schema) === 'done') return;
    if (states.get(schema) === 'open' || depth > deepest || isUnjoinable(schema)) {
      measured.isRefused = true;
      return;
    }
    states.set(schema, 'open');
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    for (const [name, property] of Object.entries(properties)) {
      if (!required.has(name)) measured.optional += 1;
      if (isUnion(property)) measured.unions += 1;
      lookAt(property, depth + 1);
    }
    for (const part of subschemasOf(schema)) lookAt(part, depth + 1);
    if (schema['$ref'] !== undefined) lookAtReferred(schema, depth + 1);
    states.set(schema, 'done');
  };
  const lookAtReferred = (schema: JsonObject, depth: number): void => {
    const referred = referredSchema(root, schema['$ref']);
    if (referred === undefined) measured.isRefused = true;
    else lookAt(referred, depth);
  };
  lookAt(root, 0);
  return measured;
}

/** Two kinds of alternatives would have to stand in an `allOf`, which takes no reference, nor them. */
function isUnjoinable({ anyOf, oneOf, allOf }: JsonObject): boolean {
  const refers = (branch: unknown) => isJsonObject(branch) && branch['$ref'] !== undefined;
  return (anyOf !== undefined && oneOf !== undefined) || (Array.isArray(allOf) && allOf.some(refers));
}

const isUnion = (schema: unknown): boolean =>
  isJsonObject(schema) &&
  (schema['anyOf'] !== undefined ||
    schema['oneOf'] !== undefined ||
    (Array.isArray(schema['type']) && schema['type'].length > 1));

function isMap(schema: JsonObject): boolean {
  const { type, properties, additionalProperties: additional, patternProperties } = schema;
  if (patternProperties !== undefined) return true;
  if (additional === true || isJsonObject(additional)) {
    return !isJsonObject(properties) || Object.keys(properties).length === 0;
  }
  const isSaidElsewhere = ['$ref', 'anyOf', 'allOf', 'oneOf'].some((name) => schema[name] !== undefined);
  return type === 'object' && properties === undefined && additional === undefined && !isSaidElsewhere;
}

/** Bounds and conditions that Anthropic's structured output refuses; it is told of them in words instead. */
const unsupportedBounds: ReadonlySet<string> = new Set([
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
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'propertyNames',
  'contains',
]);

/** Of the formats of strings, those that are taken. */
const supportedFormats: ReadonlySet<unknown> = new Set([
  ...['date-time', 'date', 'time', 'duration'],
  ...['email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);

/** Closes every object, moves bounds into descriptions and folds alternatives into the one kind that is taken. */
export function closeSchema(schema: JsonObject): JsonObject {
  const closed: Record<string, unknown> = {};
  const bounds: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (isUnsupportedBound(name, value)) bounds.push(`${name}: ${JSON.stringify(value)}`);
    else if (mapsOfSchemas.has(name) && isJsonObject(value)) closed[name] = closeEach(value);
    else if (schemaPlaces.has(name)) closed[name === 'oneOf' ? 'anyOf' : name] = closeAny(value);
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

function isUnsupportedBound(name: string, value: unknown): boolean {
  if (name === 'minItems') return typeof value === 'number' && value > 1;
  return name === 'format' ? !supportedFormats.has(value) : unsupportedBounds.has(name);
}

function closeEach(schemas: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closeAny(schema)]));
}

function closeAny(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeAny);
  return isJsonObject(schema) ? closeSchema(schema) : schema;
}
