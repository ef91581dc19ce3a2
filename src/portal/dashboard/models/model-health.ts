/** How models and their providers did lately, over everybody's requests: shares and times, never counts. */
import { LRUCache } from 'lru-cache';
import { everybody } from '../../../base/scope.ts';
import { readUsageReport } from '../../../usage/index.ts';
import type { PortalServices } from '../../services.ts';

const overDays = 7;
const dayMs = 86_400_000;
/** The same for whoever asks, and nothing that changes in a moment. */
const believedMs = 60_000;
/** Fewer requests say nothing of a model, and something of whoever sent them. */
const fewestRequests = 10;
const mostModels = 500;

export interface Health {
  /** From 0 to 1, of requests that were answered without an error. */
  readonly answered: number;
  /** To the first content of streams, the median. */
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
}

export type HealthByName = ReadonlyMap<string, Health>;

interface Known {
  readonly health: Promise<HealthByName>;
  readonly untilMs: number;
}

const known = new WeakMap<PortalServices['storage'], LRUCache<string, Known>>();

type Parts = Pick<PortalServices, 'storage' | 'clock'>;

/** By the public ids of models. */
export const healthOfModels = (parts: Parts): Promise<HealthByName> => remembered(parts, '', 'model');

/** By the names of the providers that one model has. */
export const healthOfProviders = (parts: Parts, model: string): Promise<HealthByName> =>
  remembered(parts, model, 'provider');

function remembered(parts: Parts, model: string, by: 'model' | 'provider'): Promise<HealthByName> {
  const { storage, clock } = parts;
  const all = known.get(storage) ?? new LRUCache<string, Known>({ max: mostModels });
  known.set(storage, all);
  const nowMs = clock.nowMs();
  const before = all.get(model);
  if (before !== undefined && nowMs < before.untilMs && nowMs >= before.untilMs - believedMs) {
    return before.health;
  }
  const health = readHealth(parts, model, by);
  all.set(model, { health, untilMs: nowMs + believedMs });
  health.catch(() => all.delete(model));
  return health;
}

async function readHealth(
  { storage, clock }: Parts,
  model: string,
  by: 'model' | 'provider',
): Promise<HealthByName> {
  const nowMs = clock.nowMs();
  const { rows } = await readUsageReport(everybody, storage.db, {
    from: new Date(nowMs - overDays * dayMs),
    to: new Date(nowMs + 1),
    by,
    ...(model !== '' && { where: { model } }),
    limit: mostModels,
  });
  return new Map(
    rows.flatMap(({ group, requests, errors, firstByteMs, tokensPerSecond }) => {
      if (group === null || requests < fewestRequests) return [];
      const health: Health = {
        answered: 1 - errors / requests,
        firstTokenMs: firstByteMs?.p50 ?? null,
        tokensPerSecond: tokensPerSecond?.p50 ?? null,
      };
      return [[group, health] as const];
    }),
  );
}
