/**
 * The root of a tool's arguments. Vendors want it to say that it is an object, and refuse the whole request for
 * alternatives there, which servers of tools like to write: `input_schema does not support oneOf, allOf, or anyOf at the
 * top level` (anthropics/claude-code#27337), `schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/
 * 'not' at the top level` (langchain-ai/langchainjs#9804). Below the root they take them.
 */
import { isJsonObject, type JsonObject } from '../json/fields.ts';
import { mapsOfSchemas, referredSchema } from './schema.ts';

/** As of November 2026. */
const refusedAtRoot = {
  anthropic: ['oneOf', 'anyOf', 'allOf'],
  openai: ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'],
} as const;

/**
 * The schema without what its vendor refuses at the root. The properties of all branches become the root's, and what
 * holds among them is told in words. What is referred to inside the branches moves below the root with all of them.
 */
export function withPlainRoot(schema: JsonObject, vendor: keyof typeof refusedAtRoot): JsonObject {
  const refused: ReadonlySet<string> = new Set(refusedAtRoot[vendor]);
  const members = Object.entries(schema).filter(([, value]) => value !== undefined);
  const moved = members.filter(([name]) => refused.has(name));
  if (moved.length === 0) return schema;
  const { description } = schema;
  const told = `The arguments must also fit this JSON schema: ${JSON.stringify(Object.fromEntries(moved))}`;
  const plain = {
    ...Object.fromEntries(members.filter(([name]) => !refused.has(name))),
    type: 'object',
    description: typeof description === 'string' ? `${description} ${told}` : told,
    properties: mergedProperties(schema),
    required: mergedRequired(schema),
  };
  return withMoved(plain, Object.fromEntries(moved));
}

export function asObjectSchema(schema: JsonObject): JsonObject {
  return schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
}

const combinators = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * What the root says of a property goes before what its branches say; several of them are alternatives. Branches that
 * lead into each other would say the same again and again: beyond the length of the whole schema a property is only
 * named, and the words for the branches tell what it is.
 */
function mergedProperties(root: JsonObject): JsonObject {
  const own = isJsonObject(root['properties']) ? root['properties'] : {};
  let left = JSON.stringify(root).length;
  /** By name, then by what is said, so that what many branches repeat stands there once. */
  const found = new Map<string, Map<string, unknown>>();
  for (const { properties } of branchesBelow(root)) {
    if (!isJsonObject(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      if (Object.hasOwn(own, name)) continue;
      const text = left > 0 ? JSON.stringify(schema) : '';
      left -= text.length;
      const said = found.get(name) ?? new Map<string, unknown>();
      found.set(name, left > 0 ? said.set(text, schema) : new Map([['', {}]]));
    }
  }
  const merged = [...found].map(([name, said]): [string, unknown] => {
    const [only, ...others] = said.values();
    return [name, others.length === 0 ? only : { anyOf: [only, ...others] }];
  });
  return Object.fromEntries([...Object.entries(own), ...merged]);
}

/** Each branch once, with those inside it, however many lead to it. */
function branchesBelow(root: JsonObject): readonly JsonObject[] {
  const branches: JsonObject[] = [];
  const seen = new Set<JsonObject>([root]);
  const lookInto = (schema: JsonObject) => {
    for (const branch of combinators.flatMap((name) => branchesOf(root, schema, name))) {
      if (seen.has(branch)) continue;
      seen.add(branch);
      branches.push(branch);
    }
  };
  lookInto(root);
  // Grows while it is gone through.
  for (const branch of branches) lookInto(branch);
  return branches;
}

/** The branches themselves, and what they refer to. */
function branchesOf(root: JsonObject, schema: JsonObject, combinator: string): readonly JsonObject[] {
  const list = schema[combinator];
  if (!Array.isArray(list)) return [];
  return list.flatMap((branch: unknown) => {
    if (!isJsonObject(branch)) return [];
    return [branch, referredSchema(root, branch['$ref']) ?? branch];
  });
}

/** What the root demands, and what branches do that all hold, or every branch that may. */
function mergedRequired(root: JsonObject): readonly string[] | undefined {
  const required = new Set(namesIn(root['required']));
  for (const branch of distinctBranches(root, 'allOf')) {
    for (const name of namesIn(branch['required'])) required.add(name);
  }
  for (const combinator of ['anyOf', 'oneOf']) {
    const branches = distinctBranches(root, combinator);
    const counts = new Map<string, number>();
    for (const branch of branches) {
      for (const name of new Set(namesIn(branch['required']))) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const [name, count] of counts) if (count === branches.size) required.add(name);
  }
  return required.size === 0 ? undefined : [...required];
}

/** Once each, since many may refer to one. */
function distinctBranches(root: JsonObject, combinator: string): ReadonlySet<JsonObject> {
  const list = root[combinator];
  if (!Array.isArray(list)) return new Set();
  return new Set(
    list.map((branch: unknown) => {
      const schema = isJsonObject(branch) ? branch : {};
      return referredSchema(root, schema['$ref']) ?? schema;
    }),
  );
}

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name: unknown) => typeof name === 'string') : [];

/** Members of a schema whose values may look like schemas and are none. */
const plainValues: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'example', 'examples']);
const namedSchemas: ReadonlySet<string> = new Set([
  ...mapsOfSchemas,
  'patternProperties',
  'dependentSchemas',
]);

/** References into what was moved are followed by it: it stands once, among the definitions, under a name of its own. */
function withMoved(plain: JsonObject, moved: JsonObject): JsonObject {
  const definitions = isJsonObject(plain['$defs']) ? plain['$defs'] : {};
  const home = freeName(definitions);
  let isReferredTo = false;
  const redirect = (reference: string): string => {
    const [start, first = ''] = reference.split('/', 2);
    if (start !== '#' || !Object.hasOwn(moved, first)) return reference;
    isReferredTo = true;
    return `#/$defs/${home}${reference.slice(1)}`;
  };
  const redirected = withReferences(plain, redirect);
  if (!isReferredTo) return plain;
  const kept = isJsonObject(redirected['$defs']) ? redirected['$defs'] : {};
  return { ...redirected, $defs: { ...kept, [home]: withReferences(moved, redirect) } };
}

function freeName(definitions: JsonObject): string {
  let name = 'alternatives';
  for (let number = 2; Object.hasOwn(definitions, name); number += 1) name = `alternatives${number}`;
  return name;
}

function withReferences(schema: JsonObject, redirect: (reference: string) => string): JsonObject {
  const readAny = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(readAny);
    return isJsonObject(value) ? withReferences(value, redirect) : value;
  };
  const readMember = (name: string, value: unknown): unknown => {
    if (name === '$ref' && typeof value === 'string') return redirect(value);
    if (plainValues.has(name)) return value;
    if (!namedSchemas.has(name) || !isJsonObject(value)) return readAny(value);
    return Object.fromEntries(Object.entries(value).map(([key, named]) => [key, readAny(named)]));
  };
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, readMember(name, value)]));
}
