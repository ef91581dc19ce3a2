/** A small value that fits a JSON Schema, so that simulated tool calls and structured output validate. */
import { isJsonObject } from '../../protocols/json/fields.ts';

type Schema = Record<string, unknown>;

const maxDepth = 64;
/** From here on only what must be there is there: schemas can describe trees without end. */
const sparseDepth = 4;
const mostItems = 1000;
/** Of a whole sample: characters that are written, and members of schemas that are looked at for it. */
const mostSteps = 50_000;

/**
 * @returns `{}` for a missing or unreadable schema. Patterns of strings, and `not`, are not followed; of what a few words
 * can demand without end only the beginning is there.
 */
export function sampleOf(schema: unknown): unknown {
  return isJsonObject(schema) ? new Sampling(schema).sampleAt(schema, 0) : {};
}

class Sampling {
  readonly #root: Schema;
  #left = mostSteps;

  constructor(root: Schema) {
    this.#root = root;
  }

  sampleAt(schema: Schema, depth: number): unknown {
    this.#left -= weightOf(schema);
    if (depth > maxDepth || this.#left <= 0) return null;
    if ('const' in schema) return this.#given(schema['const']);
    if (Array.isArray(schema['enum'])) return this.#given(schema['enum'][0] ?? null);
    const part = this.#partOf(schema, depth);
    if (part !== undefined) return this.sampleAt(part, depth + 1);
    switch (typeOf(schema)) {
      case 'string':
        return this.#sampleString(schema);
      case 'number':
        return sampleNumber(schema, 0);
      case 'integer':
        return sampleNumber(schema, 1);
      case 'boolean':
        return true;
      case 'null':
        return null;
      case 'array':
        return this.#sampleArray(schema, depth);
      default:
        return this.#sampleObject(schema, depth);
    }
  }

  /** The schema with what it refers to, all that it combines, or one that it leaves the choice of, in its place. */
  #partOf(schema: Schema, depth: number): Schema | undefined {
    const { $ref, anyOf, oneOf, allOf, ...own } = schema;
    if (typeof $ref === 'string') return merge(own, findReference($ref, this.#root));
    if (Array.isArray(allOf)) return this.#combine({ ...own, ...pick({ anyOf, oneOf }) }, allOf);
    const union = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
    const members = union.filter(isJsonObject);
    const end = depth < sparseDepth ? undefined : members.find(({ type }) => type === 'null');
    const chosen = end ?? members[0];
    return chosen === undefined ? undefined : merge(own, chosen);
  }

  /** Each of many writes again what those before it have brought. */
  #combine(own: Schema, parts: readonly unknown[]): Schema {
    let combined = own;
    for (const part of parts) {
      if (!isJsonObject(part)) continue;
      combined = merge(combined, part);
      this.#left -= weightOf(combined);
      if (this.#left <= 0) break;
    }
    return combined;
  }

  /** What stands in the schema once can be asked for often. */
  #given(value: unknown): unknown {
    if (this.#left <= 0) return null;
    this.#left -= JSON.stringify(value).length;
    return this.#left < 0 ? null : value;
  }

  #sampleString(schema: Schema): string {
    const format = formats[String(schema['format'])];
    if (format !== undefined) return format;
    const longest = asNumber(schema['maxLength']) ?? Number.POSITIVE_INFINITY;
    const shortest = Math.min(asNumber(schema['minLength']) ?? 0, this.#left);
    const text = 'simulated'.padEnd(shortest, '.').slice(0, longest);
    this.#left -= text.length;
    return text;
  }

  #sampleArray(schema: Schema, depth: number): unknown[] {
    const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'].filter(isJsonObject) : [];
    const most = asNumber(schema['maxItems']) ?? mostItems;
    const usual = first.length > 0 ? first.length : depth < sparseDepth ? 1 : 0;
    const count = Math.min(asNumber(schema['minItems']) ?? usual, most, mostItems);
    const rest = isJsonObject(schema['items']) ? schema['items'] : {};
    const isUnique = schema['uniqueItems'] === true;
    const items: unknown[] = [];
    for (let at = 0; at < count && this.#left > 0; at += 1) {
      const item = this.sampleAt(first[at] ?? rest, depth + 1);
      items.push(isUnique ? this.#varied(item, rest, at) : item);
    }
    return items;
  }

  #varied(item: unknown, { enum: choices }: Schema, at: number): unknown {
    if (Array.isArray(choices)) return at < choices.length ? this.#given(choices[at]) : item;
    if (typeof item === 'number') return item + at;
    return typeof item === 'string' && at > 0 ? `${item}${at}` : item;
  }

  #sampleObject(schema: Schema, depth: number): Record<string, unknown> {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const { required, additionalProperties: others } = schema;
    const usual = depth < sparseDepth ? Object.keys(properties) : [];
    const sample: Record<string, unknown> = {};
    for (const name of Array.isArray(required) ? required.map(String) : usual) {
      this.#left -= name.length;
      if (this.#left <= 0) break;
      const property = properties[name];
      const fitting = isJsonObject(property) ? property : isJsonObject(others) ? others : undefined;
      sample[name] = fitting === undefined ? null : this.sampleAt(fitting, depth + 1);
    }
    return sample;
  }
}

/** How much of a schema is looked at, apart from what is in it. */
function weightOf(schema: Schema): number {
  const { $ref, required, properties, $defs, allOf, anyOf, oneOf, prefixItems } = schema;
  let weight = 1 + Object.keys(schema).length;
  if (typeof $ref === 'string') weight += $ref.length;
  for (const members of [properties, $defs]) {
    if (isJsonObject(members)) weight += Object.keys(members).length;
  }
  for (const list of [required, allOf, anyOf, oneOf, prefixItems]) {
    if (Array.isArray(list)) weight += list.length;
  }
  return weight;
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
    const name = unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = isJsonObject(target) ? target[name] : undefined;
  }
  return isJsonObject(target) ? target : {};
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    // Nothing has that name.
    return '';
  }
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
