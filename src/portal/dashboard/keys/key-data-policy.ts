/** The fields of a key about what becomes of what it sends: the demands of its data policy, and rescue. */
import { z } from 'zod';
import { type DataLock, type DeclaredLock, quantizations, readDataLock } from '../../../base/data-policy.ts';
import type { ApiKey } from '../../../identity/index.ts';
import { readList, readSwitch } from '../../form-readers.ts';

export const names = z
  .preprocess(readList, z.array(z.string().min(1).max(300)).max(2000).nullable())
  .optional()
  .describe('Null allows every one');

export const choice = z
  .enum(['any', 'these'])
  .optional()
  .describe('Of a form: whether the list beside it counts; `any` is null');

const readCollection = (given: unknown): unknown => {
  const read = readSwitch(given);
  return typeof read === 'boolean' ? (read ? 'deny' : 'allow') : read;
};
const readRescue = (given: unknown): unknown => (given === 'model' ? null : readSwitch(given));

export const dataPolicyFields = {
  data_collection: z
    .preprocess(readCollection, z.enum(['allow', 'deny']))
    .optional()
    .describe('`deny`: only providers known not to train with it, and to keep it for 30 days at most'),
  zdr: z.preprocess(readSwitch, z.boolean()).optional().describe('Only providers known to keep nothing'),
  data_regions_from: choice,
  data_regions: names.describe('Only providers known to work on it in these alone; null allows every one'),
  quantizations_from: choice,
  quantizations: names,
  rescue: z
    .preprocess(readRescue, z.boolean().nullable())
    .optional()
    .describe('Whether a streamed answer that breaks off is gone on with; null leaves it to the model'),
};

export type DataPolicyBody = z.output<z.ZodObject<typeof dataPolicyFields>>;

const lockOf = (key: Pick<ApiKey, 'dataPolicy'> | null): DataLock => readDataLock(key?.dataPolicy) ?? {};

/** What the key demands by lists, which may stay also where it could not be chosen any more. */
export function listedOf(key: Pick<ApiKey, 'dataPolicy'> | null) {
  const { regions = null, quantizations: kept = null } = lockOf(key);
  return { data_regions: regions, quantizations: kept };
}

interface GivenLists {
  readonly data_regions: readonly string[] | null | undefined;
  readonly quantizations: readonly string[] | null | undefined;
}

/**
 * What is given changes, the rest of the demand stays.
 * @param lists as they were found to be right.
 * @returns undefined where nothing was said of it; null where nothing is demanded any more.
 */
export function readDataPolicy(
  { data_collection, zdr }: DataPolicyBody,
  lists: GivenLists,
  known: Pick<ApiKey, 'dataPolicy'> | null,
): DeclaredLock | null | undefined {
  const { data_regions: regions, quantizations: kept } = lists;
  if ([data_collection, zdr, regions, kept].every((given) => given === undefined)) return undefined;
  const before = lockOf(known);
  const after = {
    data_collection: data_collection ?? before.data_collection,
    zdr: zdr ?? before.zdr,
    regions: regions === undefined ? before.regions : regions,
    quantizations: kept === undefined ? before.quantizations : kept,
  };
  const lock: DeclaredLock = {
    ...(after.data_collection === 'deny' && { data_collection: 'deny' }),
    ...(after.zdr === true && { zdr: true }),
    ...(after.regions != null && { regions: [...after.regions] }),
    ...(after.quantizations != null && {
      quantizations: quantizations.filter((one) => after.quantizations?.includes(one)),
    }),
  };
  return Object.keys(lock).length === 0 ? null : lock;
}

/** As a form holds it. */
export function valuesOfDataPolicy(key: Pick<ApiKey, 'dataPolicy' | 'rescue'>) {
  const lock = lockOf(key);
  return {
    data_collection: lock.data_collection === 'deny' ? 'on' : 'off',
    zdr: lock.zdr === true ? 'on' : 'off',
    data_regions_from: lock.regions === undefined ? 'any' : 'these',
    data_regions: lock.regions ?? [],
    quantizations_from: lock.quantizations === undefined ? 'any' : 'these',
    quantizations: lock.quantizations ?? [],
    rescue: key.rescue === null ? 'model' : key.rescue ? 'on' : 'off',
  };
}

/** As a program is told of it: what the key itself demands, not what is demanded above it. */
export const dataPolicyResult = {
  data_collection: z.enum(['allow', 'deny']),
  zdr: z.boolean(),
  data_regions: z.array(z.string()).nullable(),
  quantizations: z.array(z.string()).nullable(),
  rescue: z.boolean().nullable(),
};

export function tellDataPolicy(key: Pick<ApiKey, 'dataPolicy' | 'rescue'>) {
  const lock = lockOf(key);
  return {
    data_collection: lock.data_collection ?? ('allow' as const),
    zdr: lock.zdr ?? false,
    data_regions: lock.regions === undefined ? null : [...lock.regions],
    quantizations: lock.quantizations === undefined ? null : [...lock.quantizations],
    rescue: key.rescue,
  };
}
