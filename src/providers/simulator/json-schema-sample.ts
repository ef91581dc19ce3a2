/** The smallest value that fits a JSON Schema's shape, so that simulated tool calls and structured output validate. */
import { isJsonObject } from '../../protocols/json/fields.ts';

const maxDepth = 16;

/** @returns `{}` for a missing or unreadable schema. */
export function sampleOf(schema: unknown): unknown {
  return isJsonObject(schema) ? sampleAt(schema, schema, 0) : {};
}

function sampleAt(schema: Record<string, unknown>, root: Record<string, unknown>, depth: number): unknown {
  if (depth > maxDepth) return null;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  if (typeof schema['$ref'] === 'string') return sampleReference(schema['$ref'], root, depth);
  for (const union of [schema['anyOf'], schema['oneOf'], schema['allOf']]) {
    const first: unknown = Array.isArray(union) ? union[0] : undefined;
    if (isJsonObject(first)) return sampleAt(first, root, depth + 1);
  }
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (type === 'string') return sampleString(schema);
  if (type === 'number' || type === 'integer') return sampleNumber(schema);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'array') return sampleArray(schema, root, depth);
  return sampleObject(schema, root, depth);
}

/** Local references only: `#/$defs/name`. */
function sampleReference(reference: string, root: Record<string, unknown>, depth: number): unknown {
  let target: unknown = root;
  for (const step of reference.replace(/^#\/?/, '').split('/')) {
    if (step !== '') target = isJsonObject(target) ? target[step] : undefined;
  }
  return isJsonObject(target) ? sampleAt(target, root, depth + 1) : null;
}

function sampleString(schema: Record<string, unknown>): string {
  const shortest = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
  return 'simulated'.padEnd(shortest, '.');
}

function sampleNumber(schema: Record<string, unknown>): number {
  if (typeof schema['minimum'] === 'number') return schema['minimum'];
  if (typeof schema['exclusiveMinimum'] === 'number') return schema['exclusiveMinimum'] + 1;
  return 1;
}

function sampleArray(
  schema: Record<string, unknown>,
  root: Record<string, unknown>,
  depth: number,
): unknown[] {
  const count = typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], 16) : 1;
  const items = isJsonObject(schema['items']) ? schema['items'] : {};
  return Array.from({ length: count }, () => sampleAt(items, root, depth + 1));
}

function sampleObject(
  schema: Record<string, unknown>,
  root: Record<string, unknown>,
  depth: number,
): Record<string, unknown> {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : Object.keys(properties);
  const sample: Record<string, unknown> = {};
  for (const name of required) {
    const property = properties[String(name)];
    sample[String(name)] = isJsonObject(property) ? sampleAt(property, root, depth + 1) : null;
  }
  return sample;
}
