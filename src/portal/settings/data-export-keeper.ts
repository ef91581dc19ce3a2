/** Makes the exports that people asked for, one after the other, beside the requests. */
import { describeThrown } from '../../base/errors.ts';
import { Keeper } from '../../base/keeper.ts';
import type { Log } from '../../base/log.ts';
import { writeZip } from '../../base/zip.ts';
import {
  type AgreeingParts,
  addExportPart,
  claimDataExport,
  type ExportClaim,
  finishDataExport,
  leaveDataExport,
  removeOldExports,
  transact,
  withDatabaseTime,
} from '../../identity/index.ts';
import { filesOf, type Progress } from './account-data.ts';

const pauseMs = 5_000;
const partBytes = 256 * 1024;
/** Of an export: then the oldest requests are left out. Some two million of them fit. */
const mostBytes = 64 * 1024 ** 2;

export function dataExportKeeper(parts: AgreeingParts & { readonly log: Log }): Keeper {
  return new Keeper({
    ...parts,
    pauseMs,
    failure: 'exports of accounts could not be made; it is tried again in some seconds',
    round: (closing) => makeWaitingExports(parts, closing),
  });
}

/** Those that wait at this moment. One that fails does not hold up the others: it is tried again by a later round. */
export async function makeWaitingExports(
  parts: AgreeingParts & { readonly log: Log },
  closing: AbortSignal,
): Promise<void> {
  await transact(await withDatabaseTime(parts), removeOldExports);
  while (!closing.aborted) {
    const claimed = await claimDataExport(parts);
    if (claimed === undefined) return;
    try {
      await make(parts, claimed, closing);
    } catch (error) {
      parts.log.warn('an export of an account failed; it is tried again in a minute', {
        detail: describeThrown(error),
      });
    }
  }
}

async function make(parts: AgreeingParts, claimed: ExportClaim, closing: AbortSignal): Promise<void> {
  let writtenBytes = 0;
  let number = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const progress: Progress = { requests: 0, isFull: () => writtenBytes + waitingBytes >= mostBytes };
  const flush = async (): Promise<boolean> => {
    const bytes = Buffer.concat(waiting);
    const isKept = await addExportPart(parts, claimed, { number, bytes, requests: progress.requests });
    writtenBytes += bytes.length;
    number += 1;
    waiting = [];
    waitingBytes = 0;
    return isKept;
  };
  const madeAt = new Date(parts.clock.nowMs());
  for await (const bytes of writeZip(filesOf(parts, claimed.userId, progress), madeAt)) {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes < partBytes) continue;
    if (!(await flush())) return;
    if (closing.aborted) {
      await transact(parts, (work) => leaveDataExport(work, claimed));
      return;
    }
  }
  if (await flush()) await transact(await withDatabaseTime(parts), (work) => finishDataExport(work, claimed));
}
