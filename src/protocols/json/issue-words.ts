/** What is wrong with a member of a request, in words that need no knowledge of the library that found it. */
import type { z } from 'zod';

/** A schema's own message goes before these words. Null leaves the library's. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | null {
  if (issue.input === undefined && issue.code === 'invalid_value') {
    return `is required: ${oneOf(issue.values)}`;
  }
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, issue.input);
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'too_small':
      return describeSize(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return describeSize(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'unrecognized_keys':
      return `has members that are not known here: ${issue.keys.slice(0, 5).join(', ').slice(0, 200)}`;
    case 'invalid_union':
      return 'has none of the forms that it may have';
    default:
      return null;
  }
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function describeType(expected: string, input: unknown): string {
  const wanted = nouns[expected] ?? expected;
  if (expected === 'int' && typeof input === 'number') return `must be ${wanted}`;
  return `must be ${wanted}, not ${nounOf(input)}`;
}

function nounOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'boolean') return String(value);
  return nouns[typeof value] ?? typeof value;
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`;

function describeSize(origin: string, bound: string, limit: number | bigint): string {
  const one = limit === 1 || limit === 1n;
  if (origin === 'string') return `must have ${bound} ${limit} ${one ? 'character' : 'characters'}`;
  if (origin === 'array') return `must have ${bound} ${limit} ${one ? 'entry' : 'entries'}`;
  return `must be ${bound} ${limit}`;
}
