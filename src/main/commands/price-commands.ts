/** `prices …` as they are carried out: versions listed, set and withdrawn, what lacks a price, and rating anew. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { writeUsd } from '../../base/money.ts';
import { everybody } from '../../base/scope.ts';
import {
  findUnpriced,
  isMeter,
  type ListedVersion,
  listPriceVersions,
  type Meter,
  readPrice,
  setPrices,
  withdrawPrices,
} from '../../catalogue/index.ts';
import { findUser, listPayingKeys } from '../../identity/index.ts';
import { transact } from '../../storage/work.ts';
import { ratePageAnew, tryRating } from '../rerate.ts';
import { command } from './command.ts';
import { moment } from './moment.ts';

const listPricesCommand = command(
  z.strictObject({ model: z.string().optional() }),
  async ({ storage, clock }, { model }) => {
    const versions = await listPriceVersions(storage.db, { model });
    const now = clock.nowMs();
    return versions.map((version) => ({ ...writeVersion(version), state: stateOf(version, versions, now) }));
  },
);

function writeVersion({ prices, from, ...version }: ListedVersion) {
  const usdPerMillion =
    prices &&
    Object.fromEntries(Object.entries(prices).map(([meter, price]) => [meter, writeUsd(price ?? 0n)]));
  return { ...version, from: from.getTime() === 0 ? null : from.toISOString(), usdPerMillion };
}

function stateOf(version: ListedVersion, all: readonly ListedVersion[], nowMs: number): string {
  if (version.from.getTime() > nowMs) return 'to come';
  const inEffect = all.findLast(
    ({ model, provider, from }) =>
      model === version.model && provider === version.provider && from.getTime() <= nowMs,
  );
  return inEffect === version ? 'in effect' : 'past';
}

/** What has no price, and which keys are refused it for that. */
const unpricedCommand = command(z.strictObject({}), async ({ storage, clock }) => {
  const now = new Date(clock.nowMs());
  const unpriced = await findUnpriced(storage.db, now);
  const keys = unpriced.length === 0 ? [] : await listPayingKeys(everybody, storage.db, now);
  return unpriced.map(({ model, providers, isWhole }) => ({
    model,
    providers,
    isWhole,
    refusedKeys: keys
      .filter(
        ({ allowedModels, allowedProviders }) =>
          (allowedModels?.includes(model) ?? true) &&
          (isWhole || allowedProviders?.every((name) => providers.includes(name))),
      )
      .map(({ id, name, ownerEmail }) => ({ id, name, ownerEmail })),
  }));
});

const setPricesCommand = command(
  z.strictObject({
    model: z.string(),
    prices: z.array(z.string()).min(1, 'must name a meter, such as input=0.15'),
    provider: z.string().optional(),
    from: moment.optional(),
    note: z.string().max(500, 'must have at most 500 characters').optional(),
  }),
  async (context, { model, prices, provider = null, from = null, note = null }) => {
    const changes = Object.fromEntries(prices.map(readChange));
    if (Object.keys(changes).length < prices.length) {
      throw new AppError({
        code: 'invalid_parameter',
        public: 'A meter is named twice: give each one price.',
      });
    }
    const made = await transact(context, (work) => setPrices(work, { model, provider, from, changes, note }));
    const known = await listPriceVersions(context.storage.db, { model });
    return {
      ...writeVersion(made),
      isPast: from !== null && from.getTime() < context.clock.nowMs(),
      isDeclared: known.some((each) => each.provider === provider && each.managedBy === 'file'),
    };
  },
);

function readChange(written: string): readonly [Meter, bigint | null] {
  const [meter = '', usd = '', ...rest] = written.split('=');
  if (!isMeter(meter) || usd === '' || rest.length > 0) {
    throw new AppError({
      code: 'invalid_parameter',
      public: `${written} is not a price: write meter=USD for a million units, such as input=0.15, or meter=none.`,
    });
  }
  if (usd === 'none') return [meter, null];
  try {
    return [meter, readPrice(usd)];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError({ code: 'invalid_parameter', public: `${meter}: ${reason}`, cause });
  }
}

const withdrawPricesCommand = command(z.strictObject({ id: z.int() }), async (context, { id }) => {
  await transact(context, (work) => withdrawPrices(work, id));
  return { id };
});

/** A page at a time, since whoever asks may be another process, and may go. */
const rerateCommand = command(
  z.strictObject({
    model: z.string().optional(),
    provider: z.string().optional(),
    from: moment,
    to: moment,
    after: z.uuid().optional(),
    isWanted: z.boolean(),
  }),
  async (context, { isWanted, ...span }) => {
    if (span.from >= span.to) {
      throw new AppError({
        code: 'invalid_parameter',
        public: 'The span of a rating must end after it begins; without --to it ends now.',
      });
    }
    const { db } = context.storage;
    const { payers, ...page } = await (isWanted ? ratePageAnew(context, span) : tryRating(db, span));
    const named: object[] = [];
    for (const { payerId, requests, ...amounts } of payers) {
      const user = await findUser(everybody, db, payerId);
      named.push({
        payerId,
        payer: user?.email ?? `account ${payerId}`,
        requests,
        costBeforeNanoUsd: String(amounts.costBeforeNanoUsd),
        costNanoUsd: String(amounts.costNanoUsd),
        chargedBeforeNanoUsd: String(amounts.chargedBeforeNanoUsd),
        chargedNanoUsd: String(amounts.chargedNanoUsd),
      });
    }
    return { ...page, payers: named };
  },
);

export const priceCommands = {
  'prices list': listPricesCommand,
  'prices unpriced': unpricedCommand,
  'prices set': setPricesCommand,
  'prices withdraw': withdrawPricesCommand,
  'prices rerate': rerateCommand,
} as const;
