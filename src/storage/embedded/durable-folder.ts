/** The embedded database's files in a folder, with an fsync that reaches the disk. */
import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/**
 * PGlite starts PostgreSQL with `-F`, fsync off, and its file system answers a sync without doing it. Rows would
 * survive the end of the process and not the end of the power. `fdatasync`, the default method, cannot be supplied.
 */
const durable = ['-c', 'wal_sync_method=fsync'];
/** The system caches the files anyway; the default of 128 MB would be memory of this process. */
const small = ['-c', 'shared_buffers=16MB'];

export const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...durable,
  ...small,
];

interface OpenFile {
  /** The file descriptor of the host. */
  readonly nfd: number;
}

type EmscriptenOptions = Parameters<NodeFS['init']>[1];

export class DurableFolder extends NodeFS {
  override async init(database: PGlite, options: EmscriptenOptions) {
    const { emscriptenOpts } = await super.init(database, options);
    const supplySync: NonNullable<EmscriptenOptions['preRun']>[number] = (module) => {
      Object.assign(module.FS.filesystems.NODEFS.stream_ops, { fsync: syncFile });
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), supplySync] } };
  }
}

const success = 0;
/** EIO in the numbering of WASI. PostgreSQL stops rather than go on when a sync fails. */
const inputOutputError = 29;

function syncFile({ nfd }: OpenFile): number {
  try {
    fsyncSync(nfd);
    return success;
  } catch {
    return inputOutputError;
  }
}
