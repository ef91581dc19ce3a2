/** JSON Schemas, where vendors differ in what they take. */
import { isJsonObject, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock, UserBlock } from './blocks.ts';
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

export const mapsOfSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
export const schemaPlaces: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'anyOf',
  'allOf',
  'oneOf',
  'not',
]);

/** Those that do not stand for a property. */
export function subschemasOf(schema: Record<string, unknown>): unknown[] {
  const inMaps = ['$defs', 'definitions'].flatMap((name) => {
    const map = schema[name];
    return isJsonObject(map) ? Object.values(map) : [];
  });
  const inPlaces = [...schemaPlaces].flatMap((name) => (schema[name] === undefined ? [] : [schema[name]]));
  return [...inMaps, ...inPlaces];
}

/** What a reference inside a schema leads to; undefined where that is no schema of its own. */
export function referredSchema(root: JsonObject, reference: unknown): JsonObject | undefined {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
  let place: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(place)) place = place[Number(name)];
    else place = isJsonObject(place) && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return isJsonObject(place) ? place : undefined;
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

/** For the one of several words that a caller wants, where JSON would put quotes around it. */
export function askForOneOf(turn: TurnRequest, values: readonly string[]): TurnRequest {
  const text = `Answer with exactly one of these JSON strings, without its quotes, and nothing else: ${JSON.stringify(values)}`;
  return { ...turn, system: [...turn.system, { type: 'text', text }] };
}

/**
 * OpenAI, and hosts that do as it does, refuse JSON without a schema unless the word stands somewhere in what is said:
 * "must contain the word 'json' in some form". Gemini asks for JSON without words.
 */
export function withJsonInWords(turn: TurnRequest): TurnRequest {
  return turn.responseFormat?.type === 'json' && !saysJson(turn) ? askForJson(turn) : turn;
}

const word = /json/i;

export function saysJson({ system, messages }: Pick<TurnRequest, 'system' | 'messages'>): boolean {
  return (
    system.some(({ text }) => word.test(text)) || messages.some(({ content }) => content.some(isSayingJson))
  );
}

function isSayingJson(block: UserBlock | AssistantBlock): boolean {
  if (block.type === 'text') return word.test(block.text);
  return (
    block.type === 'tool_result' && block.content.some((part) => part.type === 'text' && word.test(part.text))
  );
}
