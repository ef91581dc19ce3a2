/**
 * What a provider says it does with what it is sent, and what somebody demands of that: the shapes in which both are
 * declared, stored and asked for. What nobody knows keeps no demand.
 */
import { z } from 'zod';

/** How many bits the weights of a model are kept in, as public routers write it. */
export const quantizations = ['int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32'] as const;
export type Quantization = (typeof quantizations)[number];

const name = z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters');
const date = z.iso.date('must be a date such as 2026-11-30');

/** Of a provider, as it is declared and stored. What is left out is not known. */
export const dataClaimForm = z
  .strictObject({
    /** For how many days what was sent is kept; 0 keeps nothing. */
    retention_days: z.int().min(0).max(36_500).optional(),
    /** Whether models are trained with it. */
    training: z.boolean().optional(),
    /** Every region in which it is worked on. */
    regions: z.array(name).min(1, 'must name a region').max(100).optional(),
    quantization: z.enum(quantizations).optional(),
    /** Where the provider says so: an address, or the name of a contract. */
    source: z.string().trim().min(1).max(500),
    /** When that was last looked at. */
    as_of: date,
  })
  .refine(({ retention_days: days, training }) => days !== 0 || training !== true, {
    message: 'trains with what it does not keep: one of retention_days and training is wrong',
    path: ['training'],
  });

export type DataClaim = z.output<typeof dataClaimForm>;

/** A demand, as it is declared and stored. What is left out demands nothing. */
export const dataLockForm = z.strictObject({
  /** `deny`: only who is known not to train with what it is sent, and to keep it for 30 days at most. */
  data_collection: z.enum(['allow', 'deny']).optional(),
  /** Only who is known to keep nothing. */
  zdr: z.boolean().optional(),
  /** Only these; an empty list allows nothing. */
  quantizations: z.array(z.enum(quantizations)).max(100).optional(),
  /** Only who is known to work on it in these and nowhere else; an empty list allows nothing. */
  regions: z.array(name).max(100).optional(),
});

export type DeclaredLock = z.input<typeof dataLockForm>;

export interface DataLock {
  readonly data_collection?: 'allow' | 'deny' | undefined;
  readonly zdr?: boolean | undefined;
  /** A request may name `unknown` too, which a lock cannot. */
  readonly quantizations?: readonly string[] | undefined;
  readonly regions?: readonly string[] | undefined;
}

/** Who demands it, from the widest on. */
export const lockLevels = ['organisation', 'department', 'key', 'request'] as const;
export type LockLevel = (typeof lockLevels)[number];

export interface LevelLock {
  readonly level: LockLevel;
  readonly lock: DataLock;
}

/** For who demands nothing: one list, so that it is told at a glance. */
export const noLocks: readonly LevelLock[] = [];

/** Of a row that says something which cannot be read here; its regions are not those that the row was made for. */
const unreadableClaim: DataClaim = { regions: [], source: 'unreadable', as_of: '1970-01-01' };

/** What a row says of a provider; what nobody could have declared keeps no demand. */
export function readDataClaim(stored: unknown): DataClaim | null {
  if (stored == null) return null;
  const read = dataClaimForm.safeParse(stored);
  return read.success ? read.data : unreadableClaim;
}

/** What a row demands; what nobody could have declared allows nothing. */
export function readDataLock(stored: unknown): DataLock | null {
  if (stored == null) return null;
  const read = dataLockForm.safeParse(stored);
  if (!read.success) return { quantizations: [], regions: [] };
  return demandsNothing(read.data) ? null : read.data;
}

const demandsNothing = (lock: DataLock): boolean =>
  lock.data_collection !== 'deny' &&
  lock.zdr !== true &&
  lock.quantizations === undefined &&
  lock.regions === undefined;
