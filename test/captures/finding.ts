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

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
