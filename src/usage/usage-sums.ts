/** What a report says of a group and a step of time, and how it is read of what the database answers. */
import { readHistogram, type Spread } from './histogram.ts';

export interface UsageSums {
  /** The beginning of the hour, day, week or month of UTC; null for the whole span. */
  readonly at: Date | null;
  /** An id, a name, a status or a label; null where a request had nothing of the kind, or nothing was asked by. */
  readonly group: string | null;
  readonly requests: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly audioMs: number;
  readonly characters: number;
  readonly rerankUnits: number;
  readonly costNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  /** Of requests that were answered, each right to an eighth; null where there is none. */
  readonly durationMs: Spread | null;
  /** Of streams. */
  readonly firstByteMs: Spread | null;
  /** While the output came. */
  readonly tokensPerSecond: Spread | null;
}

export const plainColumns = [
  ...['requests', 'errors', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_5m_tokens'],
  ...['cache_write_1h_tokens', 'reasoning_tokens', 'audio_ms', 'characters', 'rerank_units', 'cost_nano_usd'],
  'charged_nano_usd',
];
export const timeColumns = ['durations', 'first_bytes', 'rates'];

/** As text: sums are larger than a number may be. */
export const toldOf = (columns: readonly string[]): string =>
  [
    `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at_text`,
    'grouped::text AS grouped_text',
    ...columns.map((name) => `${name}::text AS ${name}`),
  ].join(', ');

export function readSums(row: Readonly<TextRow>): UsageSums {
  const count = (name: string): number => Number(row[name] ?? 0);
  const at = row['at_text'];
  return {
    at: at == null ? null : new Date(at),
    group: row['grouped_text'] ?? null,
    requests: count('requests'),
    errors: count('errors'),
    inputTokens: count('input_tokens'),
    cacheReadTokens: count('cache_read_tokens'),
    cacheWrite5mTokens: count('cache_write_5m_tokens'),
    cacheWrite1hTokens: count('cache_write_1h_tokens'),
    outputTokens: count('output_tokens'),
    reasoningTokens: count('reasoning_tokens'),
    audioMs: count('audio_ms'),
    characters: count('characters'),
    rerankUnits: count('rerank_units'),
    costNanoUsd: BigInt(row['cost_nano_usd'] ?? 0),
    chargedNanoUsd: BigInt(row['charged_nano_usd'] ?? 0),
    durationMs: readHistogram(row['durations'] ?? null),
    firstByteMs: readHistogram(row['first_bytes'] ?? null),
    tokensPerSecond: readHistogram(row['rates'] ?? null),
  };
}

export type TextRow = Record<string, string | null>;

/** Histograms are numbers too. */
export function addUp(rows: readonly TextRow[], columns: readonly string[]): TextRow {
  const sumOf = (name: string): string | null => {
    const told = rows.flatMap((row) => row[name] ?? []);
    return told.length === 0 ? null : String(told.reduce((sum, digits) => sum + BigInt(digits), 0n));
  };
  return Object.fromEntries(columns.map((name) => [name, sumOf(name)]));
}
