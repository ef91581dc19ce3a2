/** A small value that fits a JSON Schema, so that simulated tool calls and structured output validate. */
import { isJsonObject } from '../../protocols/json/fields.ts';

type Schema = Record<string, unknown>;

const maxDepth = 64;
/** From here on only what must be there is there: schemas can describe trees without end. */
const sparseDepth = 4;
const mostItems = 1000;

/** @returns `{}` for a missing or unreadable schema. Patterns of strings, and `not`, are not followed. */
export function sampleOf(schema: unknown): unknown {
  return isJsonObject(schema) ? sampleAt(schema, schema, 0) : {};
}

function sampleAt(schema: Schema, root: Schema, depth: number): unknown {
  if (depth > maxDepth) return null;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null;
  const part = partOf(schema, root, depth);
  if (part !== undefined) return sampleAt(part, root, depth + 1);
  switch (typeOf(schema)) {
    case 'string':
      return sampleString(schema);
    case 'number':
      return sampleNumber(schema, 0);
    case 'integer':
      return sampleNumber(schema, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return sampleArray(schema, root, depth);
    default:
      return sampleObject(schema, root, depth);
  }
}

/** The schema with what it refers to, all that it combines, or one that it leaves the choice of, in its place. */
function partOf(schema: Schema, root: Schema, depth: number): Schema | undefined {
  const { $ref, anyOf, oneOf, allOf, ...own } = schema;
  if (typeof $ref === 'string') return merge(own, findReference($ref, root));
  if (Array.isArray(allOf))
    return allOf.filter(isJsonObject).reduce(merge, { ...own, ...pick({ anyOf, oneOf }) });
  const union = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const members = union.filter(isJsonObject);
  const end = depth < sparseDepth ? undefined : members.find(({ type }) => type === 'null');
  const chosen = end ?? members[0];
  return chosen === undefined ? undefined : merge(own, chosen);
}

const pick = (members: Schema): Schema =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

function merge(one: Schema, other: Schema): Schema {
  const merged = { ...one, ...other };
  for (const name of ['properties', '$defs']) {
    const [own, added] = [one[name], other[name]];
    if (isJsonObject(own) && isJsonObject(added)) merged[name] = { ...own, ...added };
  }
  const [own, added] = [one['required'], other['required']];
  if (Array.isArray(own) && Array.isArray(added)) merged['required'] = [...own, ...added];
  return merged;
}

/** Local references only: `#/$defs/name`. */
function findReference(reference: string, root: Schema): Schema {
  let target: unknown = root;
  for (const step of reference.replace(/^#\/?/, '').split('/')) {
    if (step === '') continue;
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = isJsonObject(target) ? target[name] : undefined;
  }
  return isJsonObject(target) ? target : {};
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((each) => each !== 'null') ?? 'null';
  if (type !== undefined) return type;
  const has = (...names: readonly string[]) => names.some((name) => name in schema);
  if (has('properties', 'required')) return 'object';
  if (has('items', 'prefixItems', 'minItems')) return 'array';
  if (has('minLength', 'maxLength', 'format', 'pattern')) return 'string';
  return has('minimum', 'maximum', 'multipleOf') ? 'number' : 'object';
}

/** One for each format that JSON Schema names. */
const formats: Readonly<Record<string, string>> = {
  'date-time': '2030-01-01T00:00:00Z',
  date: '2030-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'simulated@example.test',
  hostname: 'example.test',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uri: 'https://example.test/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function sampleString(schema: Schema): string {
  const format = formats[String(schema['format'])];
  if (format !== undefined) return format;
  const longest = asNumber(schema['maxLength']) ?? Number.POSITIVE_INFINITY;
  return 'simulated'.padEnd(asNumber(schema['minLength']) ?? 0, '.').slice(0, longest);
}

/** @param step 1 for whole numbers, 0 for any. */
function sampleNumber(schema: Schema, step: 0 | 1): number {
  const unit = asNumber(schema['multipleOf']) ?? step;
  const above = asNumber(schema['exclusiveMinimum']);
  const below = asNumber(schema['exclusiveMaximum']);
  const margin = unit === 0 ? middleOf(above, below) : unit;
  const low = asNumber(schema['minimum']) ?? (above === undefined ? undefined : above + margin);
  const high = asNumber(schema['maximum']) ?? (below === undefined ? undefined : below - margin);
  const wanted = low ?? Math.min(1, high ?? 1);
  if (unit === 0) return wanted;
  const fitting = low === undefined ? Math.floor(wanted / unit) * unit : Math.ceil(low / unit) * unit;
  return fitting === 0 && low === undefined && (high ?? unit) >= unit ? unit : fitting;
}

const middleOf = (above: number | undefined, below: number | undefined): number =>
  above !== undefined && below !== undefined ? (below - above) / 2 : 1;

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function sampleArray(schema: Schema, root: Schema, depth: number): unknown[] {
  const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'].filter(isJsonObject) : [];
  const most = asNumber(schema['maxItems']) ?? mostItems;
  const usual = first.length > 0 ? first.length : depth < sparseDepth ? 1 : 0;
  const count = Math.min(asNumber(schema['minItems']) ?? usual, most, mostItems);
  const rest = isJsonObject(schema['items']) ? schema['items'] : {};
  const isUnique = schema['uniqueItems'] === true;
  return Array.from({ length: count }, (_, at) => {
    const item = sampleAt(first[at] ?? rest, root, depth + 1);
    return isUnique ? varied(item, rest, at) : item;
  });
}

function varied(item: unknown, { enum: choices }: Schema, at: number): unknown {
  if (Array.isArray(choices)) return choices[at] ?? item;
  if (typeof item === 'number') return item + at;
  return typeof item === 'string' && at > 0 ? `${item}${at}` : item;
}

function sampleObject(schema: Schema, root: Schema, depth: number): Record<string, unknown> {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const { required } = schema;
  const usual = depth < sparseDepth ? Object.keys(properties) : [];
  const sample: Record<string, unknown> = {};
  for (const name of Array.isArray(required) ? required.map(String) : usual) {
    const property = properties[name];
    const others = schema['additionalProperties'];
    const fitting = isJsonObject(property) ? property : isJsonObject(others) ? others : undefined;
    sample[name] = fitting === undefined ? null : sampleAt(fitting, root, depth + 1);
  }
  return sample;
}
