/** The lines of a spool's segments: how they are written, and how they are read after a crash at any byte of them. */
import { z } from 'zod';
import type { OpenedRequest, UsageRecord } from '../record.ts';
import { fieldColumns, rowReader, writeOpenedRow, writeRow } from '../usage-row.ts';

/** The first line of each segment, so that a program of another version can read the others. */
export const headLine = `${JSON.stringify({ spool: 1, columns: fieldColumns })}\n`;

export const writeOpenedLine = (request: OpenedRequest): string => `{"opened":${writeOpenedRow(request)}}\n`;
export const writeSettledLine = (record: UsageRecord): string => `{"settled":${writeRow(record)}}\n`;

export type SpoolLine =
  | { readonly kind: 'opened'; readonly request: OpenedRequest }
  | { readonly kind: 'settled'; readonly record: UsageRecord }
  /** Torn by the death of its process, or no line of a spool. */
  | { readonly kind: 'unreadable' };

const unreadable = { kind: 'unreadable' } as const;
const head = z.object({ spool: z.literal(1), columns: z.array(z.string()) });
const line = z.union([z.object({ opened: z.unknown() }), z.object({ settled: z.unknown() })]);

/** In the order they were written. A segment whose first line cannot be read has none that can. */
export function* readSegment(text: string): Iterable<SpoolLine> {
  const [first, ...others] = linesOf(text);
  if (first === undefined) return;
  const readHead = head.safeParse(parse(first));
  if (!readHead.success) {
    yield unreadable;
    for (const _ of others) yield unreadable;
    return;
  }
  const reader = rowReader(readHead.data.columns);
  for (const other of others) yield readLine(other, reader);
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((each) => each !== '');

function readLine(text: string, reader: ReturnType<typeof rowReader>): SpoolLine {
  const read = line.safeParse(parse(text));
  if (!read.success) return unreadable;
  if ('settled' in read.data) {
    const record = reader.readRecord(read.data.settled);
    return record === undefined ? unreadable : { kind: 'settled', record };
  }
  const request = reader.readOpened(read.data.opened);
  return request === undefined ? unreadable : { kind: 'opened', request };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
