/** The spools that dead processes left behind: found by their free locks, written to the database, and taken away. */
import { join } from 'node:path';
import type { Log } from '../../base/log.ts';
import { writeUsd } from '../../base/money.ts';
import type { FileLock } from '../../storage/file-lock.ts';
import type { OpenedRequest, UsageRecord } from '../record.ts';
import { type SpoolDisk, segmentSuffix, systemDisk } from './segment-log.ts';
import { folderError, lockName, otherHolders, removeSpool } from './spool.ts';
import { readSegment } from './spool-lines.ts';

/** Who takes over what a dead process owed. All of it must bear being done again: who does it may die too. */
export interface Heir {
  /** First: nothing that the holder may still have on its way changes anything afterwards. */
  fence?(holderId: string): Promise<void>;
  /** Up to a thousand at a time. Resolves once they are stored; those that were stored before are left as they are. */
  write(holderId: string, records: readonly UsageRecord[]): Promise<void>;
  /** Last: all that the holder used is stored. Its spool is gone once this resolves. */
  returnLeases?(holderId: string): Promise<void>;
}

export interface AdoptOptions {
  readonly folder: string;
  readonly heir: Heir;
  readonly log: Log;
  /** The system's when not given. */
  readonly disk?: SpoolDisk;
  /** In milliseconds since the epoch. Rows of older requests are not kept; all are when not given. */
  readonly keptSinceMs?: number;
}

/** What was found in all of them. */
export interface Adopted {
  readonly spools: number;
  /** Records of requests that were over, most of them stored before. */
  readonly settled: number;
  /** Requests that were under way. */
  readonly interrupted: number;
  /** Lines, most often the last one of a spool. */
  readonly unreadable: number;
  /** Records of requests whose rows would be too old to be kept. */
  readonly outdated: number;
}

const mostRecords = 1000;
/** What is not so called is none: a spool that is just being made, or something of a disk's own. */
const holderName = /^[A-Za-z0-9-]+$/;

/** @throws AppError `internal_error` when the folder or one in it cannot be used; what the heir throws; what it has not taken over stays where it is. */
export async function adoptSpools({
  folder,
  heir,
  log,
  disk = systemDisk,
  keptSinceMs = Number.NEGATIVE_INFINITY,
}: AdoptOptions): Promise<Adopted> {
  let all: Adopted = { spools: 0, settled: 0, interrupted: 0, unreadable: 0, outdated: 0 };
  for (const holderId of listHolders(folder, disk)) {
    const own = { folder: join(folder, holderId), heir, log, disk, keptSinceMs };
    const adopted = await adoptSpool(holderId, own);
    if (adopted === null) continue;
    const { settled, interrupted, unreadable, outdated } = adopted;
    all = {
      spools: all.spools + 1,
      settled: all.settled + settled,
      interrupted: all.interrupted + interrupted,
      unreadable: all.unreadable + unreadable,
      outdated: all.outdated + outdated,
    };
    log.warn('the spool of a process that died was written to the database', {
      count: settled + interrupted,
      detail: `${holderId}: ${settled} settled, ${interrupted} under way, ${unreadable} unreadable lines, ${outdated} too old`,
    });
  }
  return all;
}

type Adoption = Required<AdoptOptions>;

/** @returns null for one that is alive, or that another took. */
async function adoptSpool(
  holderId: string,
  { folder, heir, log, disk, keptSinceMs }: Adoption,
): Promise<Omit<Adopted, 'spools'> | null> {
  const lock = tryLock(folder, disk);
  if (lock === null) return null;
  try {
    const segments = disk
      .list(folder)
      .filter((name) => name.endsWith(segmentSuffix))
      .sort()
      .map((name) => join(folder, name));
    const holders = [holderId, ...otherHolders(folder, disk)];
    for (const each of holders) await heir.fence?.(each);
    // What an earlier one had leased was taken away: what is left stands with the last.
    const last = holders.at(-1) ?? holderId;
    let outdated = 0;
    const write = async (records: readonly UsageRecord[]) => {
      const kept = records.filter(({ startedAt }) => startedAt.getTime() >= keptSinceMs);
      outdated += records.length - kept.length;
      tellOutdated(records, { log, keptSinceMs });
      if (kept.length > 0) await heir.write(last, kept);
    };
    const counts = await replay(segments, { disk, write });
    for (const each of holders) await heir.returnLeases?.(each);
    for (const segment of segments) disk.remove(segment);
    removeSpool(folder, disk);
    return { ...counts, outdated };
  } finally {
    lock.release();
  }
}

function tryLock(folder: string, disk: SpoolDisk): FileLock | null {
  try {
    return disk.lock(join(folder, lockName));
  } catch (thrown) {
    // Another has adopted it in this moment, or it is no folder.
    if (disk.list(folder).length === 0) return null;
    throw folderError(folder, thrown);
  }
}

/** Of the spools in the folder of all. @throws AppError `internal_error` when it cannot be read. */
export function listHolders(folder: string, disk: SpoolDisk): readonly string[] {
  try {
    return disk.list(folder).filter((name) => holderName.test(name));
  } catch (cause) {
    throw folderError(folder, cause);
  }
}

/**
 * What says whether a record was charged before is its row, and the rows of that time are gone: charging it again would
 * be worse than not at all. The log has enough of it to book it by hand.
 */
function tellOutdated(
  records: readonly UsageRecord[],
  { log, keptSinceMs }: Pick<Adoption, 'log' | 'keptSinceMs'>,
): void {
  for (const { startedAt, requestId, keyId, userId, model, costNanoUsd } of records) {
    if (startedAt.getTime() >= keptSinceMs || costNanoUsd === 0n) continue;
    log.error('usage of a process that died is older than what is kept; it is not charged now', {
      ...{ requestId, keyId, userId, model, costUsd: writeUsd(costNanoUsd) },
      detail: `it began at ${startedAt.toISOString()}`,
    });
  }
}

interface Replay {
  readonly disk: SpoolDisk;
  write(records: readonly UsageRecord[]): Promise<void>;
}

/** One segment is in memory at a time, with the requests that were opened so far and not settled. */
async function replay(
  segments: readonly string[],
  { disk, write }: Replay,
): Promise<Omit<Adopted, 'spools' | 'outdated'>> {
  const underWay = new Map<string, OpenedRequest>();
  const counts = { settled: 0, unreadable: 0 };
  for (const segment of segments) {
    const settled: UsageRecord[] = [];
    for (const line of readSegment(disk.read(segment))) {
      if (line.kind === 'unreadable') counts.unreadable += 1;
      else if (line.kind === 'opened') underWay.set(line.request.requestId, line.request);
      else {
        underWay.delete(line.record.requestId);
        settled.push(line.record);
      }
    }
    counts.settled += settled.length;
    await writeInParts(settled, write);
  }
  // After what was settled: where both stand there, the record counts and this is left out.
  await writeInParts([...underWay.values()].map(interruptedRecord), write);
  return { ...counts, interrupted: underWay.size };
}

async function writeInParts(records: readonly UsageRecord[], write: Replay['write']): Promise<void> {
  for (let at = 0; at < records.length; at += mostRecords) await write(records.slice(at, at + mostRecords));
}

/** Its client got nothing whole, through no fault of its own: it is free. How long it took nobody knows. */
function interruptedRecord(request: OpenedRequest): UsageRecord {
  return {
    ...request,
    status: 500,
    outcome: 'interrupted',
    errorCode: 'process_died',
    attempts: [],
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    estimated: false,
    audioMs: 0,
    characters: 0,
    rerankUnits: 0,
    priceVersionId: null,
    costNanoUsd: 0n,
    chargedNanoUsd: 0n,
    durationMs: 0,
    firstByteMs: null,
    overheadMs: 0,
  };
}
