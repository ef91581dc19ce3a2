/** Holds a value against a schema and says in plain words what does not fit, without ever showing the value. */
import { z } from 'zod';
import { suggest, writePath } from './mistake.ts';

interface SchemaProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type SchemaCheck<Content> =
  | { readonly content: Content; readonly problems: readonly [] }
  | { readonly content: undefined; readonly problems: readonly SchemaProblem[] };

/** Each unknown key is a problem of its own, at its own path, with the name that was probably meant. */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
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
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `is not a known key${suggest(key, known)}`,
    }));
  });
  return { content: undefined, problems };
}

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
