/** What `sluice credentials` does with the database. */
import { z } from 'zod';
import { listIncidents, readTokenLog } from '../../routing/index.ts';
import { command } from './command.ts';

const logInput = z.strictObject({
  provider: z.string().optional(),
  keyName: z.string().optional(),
  kinds: z.string().optional(),
  hours: z.number().int().min(1).max(8784).default(24),
  limit: z.number().int().min(1).max(1000).default(100),
});

const logCommand = command(logInput, async ({ storage, clock }, { kinds = '', hours, ...asked }) => {
  const chosen = kinds.split(',').flatMap((kind) => (kind.trim() === '' ? [] : [kind.trim()]));
  const query = { ...asked, provider: asked.provider ?? '', keyName: asked.keyName ?? '', kinds: chosen };
  const events = await readTokenLog(storage.db, { ...query, windowHours: hours }, clock);
  return events.map(({ atMs, ...event }) => ({ at: new Date(atMs).toISOString(), ...event }));
});

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
