/** The spools of the data folder: those of processes that died, this one's own, and what metrics tell of both. */
import type { Clock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { type GatewayMetrics, writeBisecting } from '../gateway/index.ts';
import { endHolder, fenceHolder } from '../ledger/index.ts';
import { withAgreedTime } from '../storage/agreed-time.ts';
import { loadDatabaseId } from '../storage/database-id.ts';
import type { Storage } from '../storage/index.ts';
import { type Adopted, adoptSpools, claimSpools, Spool } from '../usage/index.ts';
import { type Environment, spoolFolder } from './environment.ts';
import { dutiesOf } from './roles.ts';
import { isAboutRecords, replayWriter } from './write-batch.ts';

const dayMs = 86_400_000;

interface Adoption {
  readonly environment: Environment;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What processes of this data folder owed the database when they died, before anything new is served; and what of
 * wallets was leased to them comes back.
 * @throws AppError `validation_failed` where they are of another database.
 */
export async function adoptDeadSpools({ environment, storage, clock, log }: Adoption): Promise<Adopted> {
  const { db } = storage;
  const { retentionDays } = environment.usagePartitions;
  const folder = spoolFolder(environment);
  const databaseId = await loadDatabaseId(db, systemIds);
  claimSpools({ folder, databaseId, keepsOwn: keepsSpool(environment), log });
  // What is too old is not charged any more: that is not for a machine to say whose clock is ahead.
  const agreed = await withAgreedTime({ clock, storage });
  const nowMs = agreed.clock.nowMs();
  return await adoptSpools({
    folder,
    log,
    ...(retentionDays === null ? undefined : { keptSinceMs: nowMs - retentionDays * dayMs }),
    heir: {
      fence: (name) => fenceHolder(db, holderIdOf(name), clock.nowMs()),
      async write(name, records) {
        const write = replayWriter(storage, holderIdOf(name));
        await writeBisecting(records, { write, isAboutRecords, log });
      },
      returnLeases: (name) => endHolder(db, holderIdOf(name)),
    },
  });
}

/** Who serves nobody leases nothing and owes nothing. */
export function keepsSpool({ role }: Environment): boolean {
  const duties = dutiesOf(role);
  return duties.gateway || duties.portal;
}

/** As the ledger counts holders, which begin at 1; 0, which is nobody, for a folder that somebody else named. */
const holderIdOf = (name: string): number => (/^\d{1,15}$/.test(name) ? Number(name) : 0);

interface OwnSpool {
  readonly environment: Environment;
  /** Of this process among those that lease. */
  readonly holderId: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** This process's own. @throws AppError internal_error when its folder cannot be used. */
export function openSpool({ environment, holderId, clock, log }: OwnSpool): Spool {
  return new Spool({
    folder: spoolFolder(environment),
    holderId: String(holderId),
    maxBytes: environment.spoolMaxBytes,
    isSynced: environment.isSpoolSynced,
    clock,
    log,
  });
}

/** @param spool null in a process that serves nobody. */
export function watchSpool(metrics: GatewayMetrics, spool: Spool | null, adopted: Adopted): void {
  metrics.watch('sluice_spool_bytes', {
    help: 'Bytes on the disk of usage that the database may not have yet',
    read: () => spool?.bytes ?? 0,
  });
  metrics.watch('sluice_spool_failures', {
    help: 'Writes of the spool that its disk did not take since the start; paid requests are refused meanwhile',
    read: () => spool?.failureCount ?? 0,
  });
  metrics.watch('sluice_spool_replayed', {
    help: 'Requests of processes that died, written to the database at the start',
    read: () => adopted.settled + adopted.interrupted,
  });
  metrics.watch('sluice_spool_unreadable_lines', {
    help: 'Lines of spools of processes that died that could not be read at the start',
    read: () => adopted.unreadable,
  });
}
