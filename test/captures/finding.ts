/** One comparison of a recording with what a conversion made of it. */
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';

export const kinds = ['request', 'answer', 'stream'] as const;

export interface Comparison {
  readonly kind: (typeof kinds)[number];
  readonly name: string;
  readonly file: string;
  /** Whose recording it is. */
  readonly from: RecordedProtocol;
  readonly to: RecordedProtocol;
}

export interface Finding extends Comparison {
  readonly outcome: 'match' | 'loss' | 'failure';
  /** The losses by name, or what differs. */
  readonly details: readonly string[];
}

export const differences = (
  expected: object,
  found: object,
  except: ReadonlySet<string> = new Set(),
): string[] =>
  Object.entries(expected).flatMap(([field, value]) => {
    const other: unknown = Reflect.get(found, field);
    if (except.has(field) || Bun.deepEquals(value, other)) return [];
    return [`${field}: expected ${show(value)}, found ${show(other)}`];
  });

/** By path, as deep as both have the same shape. */
export function leafDifferences(expected: unknown, found: unknown, path = ''): string[] {
  if (Bun.deepEquals(expected, found)) return [];
  const isList = Array.isArray(expected);
  const isAlike = isList ? Array.isArray(found) && found.length === expected.length : !Array.isArray(found);
  if (!isAlike || !isParent(expected) || !isParent(found)) {
    return [`${path}: expected ${show(expected)}, found ${show(found)}`];
  }
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].flatMap((name) =>
    leafDifferences(
      Reflect.get(expected, name),
      Reflect.get(found, name),
      path === '' ? name : `${path}.${name}`,
    ),
  );
}

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
