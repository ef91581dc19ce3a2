/** Which database the spools of a data folder are for: what one of them has of leases and payers means others in another. */
import { dirname, join } from 'node:path';
import { AppError, describeThrown } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { listHolders } from './adopt-spools.ts';
import { type SpoolDisk, systemDisk } from './segment-log.ts';
import { folderError } from './spool.ts';

export interface SpoolClaim {
  /** Of all spools of this data folder. */
  readonly folder: string;
  /** Of the database that this process was given. */
  readonly databaseId: string;
  /** Who keeps no spool of its own leaves the folder as it is. */
  readonly keepsOwn: boolean;
  readonly log: Pick<Log, 'warn'>;
  /** The system's when not given. */
  readonly disk?: SpoolDisk;
}

/** Beside the folder of spools, which is empty once nothing is owed. */
const fileName = 'database.id';
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Before anything is written of what processes left there. A folder that does not say whose it is, as those of editions
 * before do not, belongs to the database that comes first.
 * @throws AppError `validation_failed` where spools of another database are, `internal_error` when the folder cannot be used.
 */
export function claimSpools({ folder, databaseId, keepsOwn, log, disk = systemDisk }: SpoolClaim): void {
  const file = join(dirname(folder), fileName);
  const knownId = readId(file, disk);
  if (knownId === databaseId) return;
  if (knownId !== null) {
    const count = countSpools(folder, disk);
    if (count > 0) throw otherDatabase({ folder, file, count });
  }
  if (keepsOwn) writeId({ folder, file, databaseId, log, disk });
}

/** Null where nobody has said it, or a loss of power has taken it. */
function readId(file: string, disk: SpoolDisk): string | null {
  try {
    if (!disk.list(dirname(file)).includes(fileName)) return null;
    const text = disk.read(file).trim();
    return idPattern.test(text) ? text : null;
  } catch (cause) {
    throw folderError(dirname(file), cause);
  }
}

/** Also of processes that live, and of those that died with nothing to write: what they lease stands in their database. */
function countSpools(folder: string, disk: SpoolDisk): number {
  const isSpool = (name: string) => disk.list(join(folder, name)).length > 0;
  return listHolders(folder, disk).filter(isSpool).length;
}

interface IdFile extends Pick<Required<SpoolClaim>, 'folder' | 'databaseId' | 'log' | 'disk'> {
  readonly file: string;
}

/**
 * Renamed into place, so that no other start ever reads half of it. A disk without room for it refuses nobody a start,
 * which frees some: then the folder says nothing, rather than what is not so.
 */
function writeId({ folder, file, databaseId, log, disk }: IdFile): void {
  const draft = join(dirname(folder), `.${fileName}-${crypto.randomUUID()}`);
  try {
    disk.makeFolder(dirname(folder));
    disk.remove(file);
    try {
      appendWhole(draft, databaseId, disk);
      disk.rename(draft, file);
    } finally {
      disk.remove(draft);
    }
  } catch (error) {
    log.warn('the data folder cannot say which database its usage is for', { detail: describeThrown(error) });
  }
}

function appendWhole(path: string, text: string, disk: SpoolDisk): void {
  const bytes = Buffer.from(`${text}\n`);
  const file = disk.append(path);
  try {
    if (file.write(bytes, bytes.length) < bytes.length) throw new Error('there is no room on its disk');
  } finally {
    file.close();
  }
}

function otherDatabase({ folder, file, count }: { folder: string; file: string; count: number }): AppError {
  const spools = count === 1 ? 'the spool of one process' : `the spools of ${count} processes`;
  return new AppError({
    code: 'validation_failed',
    public: `${folder} holds ${spools}, with usage that may not be written yet, and they belong to another database than the one of this start. Start with that database again, which writes them there, or set SLUICE_DATA_DIR to another folder. If that database is gone for good, move ${folder} away: nobody is charged what is in it. If it is this one, restored from a dump of an edition before it had an id, remove ${file}.`,
  });
}
