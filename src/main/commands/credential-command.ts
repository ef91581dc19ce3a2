/** What `sluice credentials` does with the database. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { listProviderNames } from '../../catalogue/index.ts';
import { listIncidents, poolEventKinds, readTokenLog } from '../../routing/index.ts';
import type { Storage } from '../../storage/index.ts';
import { command } from './command.ts';

const oneOfKinds = `must be some of ${poolEventKinds.join(', ')}, with commas between`;

const logInput = z.strictObject({
  provider: z.string().optional(),
  keyName: z.string().optional(),
  kinds: z
    .string()
    .default('')
    .transform((kinds) => kinds.split(',').flatMap((kind) => (kind.trim() === '' ? [] : [kind.trim()])))
    .pipe(z.array(z.enum(poolEventKinds, oneOfKinds))),
  hours: z.number().int().min(1).max(8784).default(24),
  limit: z.number().int().min(1).max(1000).default(100),
});

const logCommand = command(logInput, async ({ storage, clock }, { hours, ...asked }) => {
  const query = { ...asked, provider: asked.provider ?? '', keyName: asked.keyName ?? '' };
  const events = await readTokenLog(storage.db, { ...query, windowHours: hours }, clock);
  // That nothing happened at one that there is not would read as if all were well.
  if (events.length === 0 && query.provider !== '') await requireProvider(storage, query.provider);
  return events.map(({ atMs, ...event }) => ({ at: new Date(atMs).toISOString(), ...event }));
});

/** @throws AppError `not_found` that names those that there are. */
async function requireProvider(storage: Storage, provider: string): Promise<void> {
  const names = await listProviderNames(storage.db);
  if (names.includes(provider)) return;
  const others = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
  throw new AppError({ code: 'not_found', public: `There is no provider ${provider}: ${others}.` });
}

const incidentsInput = z.strictObject({ hours: z.number().int().min(1).max(8784).default(24) });

const incidentsCommand = command(incidentsInput, async ({ storage, clock }, { hours }) => {
  const incidents = await listIncidents(
    storage.db,
    { sinceMs: clock.nowMs() - hours * 3_600_000, limit: 200 },
    clock,
  );
  return incidents.map(({ startedAtMs, endedAtMs, ...incident }) => ({
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: new Date(endedAtMs).toISOString(),
    ...incident,
  }));
});

export const credentialCommands = {
  'credentials log': logCommand,
  'credentials incidents': incidentsCommand,
};
