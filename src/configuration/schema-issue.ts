/** Holds a value against a schema and says in plain words what does not fit, without ever showing the value. */
import { z } from 'zod';
import { findClosest } from '../base/closest.ts';
import { suggest, writePath } from './mistake.ts';

interface SchemaProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Where the value of a misspelt key was probably meant to stand. */
  readonly meant?: readonly PropertyKey[];
}

export interface SchemaCheck<Content> {
  /** What does not fit was left out or has a stand-in, so that the rest can be looked at; undefined where nothing fits. */
  readonly content: Content | undefined;
  readonly problems: readonly SchemaProblem[];
}

/** What stands for a member that must be there, by its path with `#` for each position in a list. */
export type StandIns = Readonly<Record<string, unknown>>;

/** Each unknown key is a problem of its own, at its own path, with the name that was probably meant. */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  standIns: StandIns,
): SchemaCheck<z.output<Schema>> {
  const knownKeys = new Map<string, readonly string[]>();
  const result = schema.safeParse(value, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') {
        knownKeys.set(writePath(issue.path ?? []), keysOf(issue.inst));
      }
      return describe(issue);
    },
  });
  if (result.success) return { content: result.data, problems: [] };
  const problems = result.error.issues.flatMap((issue): SchemaProblem[] => {
    if (issue.code !== 'unrecognized_keys') return [issue];
    const known = knownKeys.get(writePath(issue.path)) ?? [];
    return issue.keys.map((key) => {
      const closest = findClosest(key, known);
      return {
        path: [...issue.path, key],
        message: `is not a known key${suggest(key, known)}`,
        ...(closest === undefined ? {} : { meant: [...issue.path, closest] }),
      };
    });
  });
  if (problems.length <= mostProblems) return { content: repair(schema, value, standIns), problems };
  const count = `there are ${problems.length} mistakes, of which these are the first ${mostProblems}`;
  return { content: undefined, problems: [{ path: [], message: count }, ...problems.slice(0, mostProblems)] };
}

/** A file with more is not what it was meant to be, and nobody mends so many in one round. */
const mostProblems = 100;

/** A stand-in may lack members of its own, which are put in the next time round. */
const mostRepairs = 6;

function repair<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  standIns: StandIns,
): z.output<Schema> | undefined {
  const repaired = structuredClone(value);
  for (let round = 0; round < mostRepairs; round += 1) {
    const result = schema.safeParse(repaired);
    if (result.success) return result.data;
    // From behind, so that what leaves a list moves nothing that is still to be found.
    for (const issue of result.error.issues.toReversed()) {
      const paths =
        issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
      for (const path of paths) replaceAt(repaired, path, standIns);
    }
  }
  return undefined;
}

function replaceAt(root: unknown, path: readonly PropertyKey[], standIns: StandIns): void {
  const name = path.at(-1);
  let parent = root;
  for (const step of path.slice(0, -1)) parent = isHolder(parent) ? Reflect.get(parent, step) : undefined;
  if (name === undefined || !isHolder(parent)) return;
  const standIn = standIns[path.map((step) => (typeof step === 'number' ? '#' : String(step))).join('.')];
  if (standIn !== undefined) Reflect.set(parent, name, structuredClone(standIn));
  else if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else Reflect.deleteProperty(parent, name);
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

function keysOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum) {
    return schema.keyType.options.map(String);
  }
  return [];
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of names to values',
  record: 'a map of names to values',
};

/** Undefined leaves the schema's own message. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `expected ${size(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `expected ${size(issue.origin, 'at most', issue.maximum)}`;
    case 'invalid_format':
      return issue.format === 'email' ? 'expected an e-mail address' : undefined;
    default:
      return undefined;
  }
}

function size(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `${bound} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  return `a number of ${bound} ${limit}`;
}
