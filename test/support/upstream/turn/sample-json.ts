/** Makes one JSON value that fits a JSON Schema of the simple kinds. */
import { isObject, type JsonObject, readList, readNumber, readObject, readText } from '../json.ts';

const deepestLevel = 12;

/** Required properties only; schemas it does not understand give a plain string. */
export function sampleOf(schema: unknown): unknown {
  return sample(schema, schema, 0);
}

function sample(schema: unknown, root: unknown, level: number): unknown {
  if (!isObject(schema) || level > deepestLevel) return 'sample';
  if ('const' in schema) return schema['const'];
  const choices = readList(schema, 'enum');
  if (choices.length > 0) return choices[0];
  const reference = readText(schema, '$ref');
  if (reference !== undefined) return sample(lookUp(root, reference), root, level + 1);
  const alternative = readList(schema, 'anyOf')[0] ?? readList(schema, 'oneOf')[0];
  if (alternative !== undefined) return sample(alternative, root, level + 1);
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, root, level);
    case 'array':
      return Array.from({ length: readNumber(schema, 'minItems') ?? 1 }, () =>
        sample(schema['items'], root, level + 1),
      );
    case 'integer':
      return sampleNumber(schema, 7, 1);
    case 'number':
      return sampleNumber(schema, 7.5, 0.5);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(schema);
  }
}

function typeOf(schema: JsonObject): string | undefined {
  const named = readText(schema, 'type') ?? readList(schema, 'type').find((type) => type !== 'null');
  if (typeof named === 'string') return named;
  return 'properties' in schema ? 'object' : undefined;
}

function sampleObject(schema: JsonObject, root: unknown, level: number): JsonObject {
  const properties = readObject(schema, 'properties');
  const entries = readList(schema, 'required')
    .filter((name) => typeof name === 'string')
    .map((name) => [name, sample(properties[name], root, level + 1)] as const);
  return Object.fromEntries(entries);
}

function sampleNumber(schema: JsonObject, usual: number, step: number): number {
  const above = readNumber(schema, 'exclusiveMinimum');
  const below = readNumber(schema, 'exclusiveMaximum');
  const least = readNumber(schema, 'minimum') ?? (above === undefined ? undefined : above + step);
  const most = readNumber(schema, 'maximum') ?? (below === undefined ? undefined : below - step);
  return Math.max(least ?? Number.NEGATIVE_INFINITY, Math.min(most ?? usual, usual));
}

function sampleText(schema: JsonObject): string {
  const text = 'sample'.padEnd(readNumber(schema, 'minLength') ?? 0, '.');
  return text.slice(0, readNumber(schema, 'maxLength') ?? text.length);
}

/** Local references only: `#`, `#/$defs/name`. */
function lookUp(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((from, key) => readObject(from, key), root);
}
