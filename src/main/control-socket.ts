/**
 * The door through which the command line reaches a server that holds the embedded database: HTTP on a unix socket that
 * only the owner of the data folder can reach.
 */
import { chmod, mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { type Clock, systemClock, withinTime } from '../base/clock.ts';
import { AppError, asAppError, describeThrown } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { prepareSocketPlace, type SocketPlace } from '../storage/embedded/socket-path.ts';
import { findDataDirHolder } from '../storage/index.ts';
import { type AdminCommandName, isAdminCommand, runAdminCommand } from './commands/admin-command.ts';
import type { AdminContext } from './commands/command.ts';

const request = z.object({ command: z.string(), input: z.unknown() });
const answer = z.union([
  z.object({ result: z.unknown() }),
  z.object({ error: z.string(), fields: z.array(z.string()).optional() }),
]);

/** Checking the books of years, or sealing everything anew, takes minutes. */
const answerLimitMinutes = 30;

/**
 * Otherwise the runtime ends what is not answered within ten seconds. Its types deny that sockets of files have it too, and
 * `server.timeout` does nothing for them (Bun 1.4.5).
 */
const neverIdle: object = { idleTimeout: 0 };

export interface ControlSocket {
  close(): Promise<void>;
}

/** @throws AppError that says why it cannot be opened. */
export async function openControlSocket(
  dataDir: string,
  context: AdminContext,
  log: Pick<Log, 'error'>,
): Promise<ControlSocket> {
  const opened = new AsyncDisposableStack();
  try {
    const place = await prepareControlPlace(dataDir);
    opened.defer(() => place.remove());
    const server = Bun.serve({
      unix: place.path,
      fetch: (http) => answerCommand(http, context, log),
      ...neverIdle,
    });
    opened.defer(() => server.stop(true));
    return { close: () => opened.disposeAsync() };
  } catch (cause) {
    await opened.disposeAsync();
    throw new AppError({
      code: 'internal_error',
      public: `The control socket in ${dataDir} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    });
  }
}

async function answerCommand(
  http: Request,
  context: AdminContext,
  log: Pick<Log, 'error'>,
): Promise<Response> {
  try {
    const { command, input } = request.parse(await http.json());
    if (!isAdminCommand(command)) {
      const name = command.slice(0, 100);
      throw new AppError({
        code: 'not_found',
        public: `The server that runs is of another version and does not know \`${name}\`. Start it again, then repeat the command.`,
      });
    }
    return Response.json({ result: await runAdminCommand(context, command, input) });
  } catch (thrown) {
    const { code, message, status } = asAppError(thrown);
    if (code !== 'internal_error' && code !== 'database_unavailable') {
      return Response.json({ error: message }, { status });
    }
    // Whoever may ask here runs the server: the reason is theirs to know, and there is no request id to give.
    const detail = describeThrown(thrown);
    log.error('a command of the command line failed inside the server', { detail });
    return Response.json({ error: `The server could not carry it out: ${detail}` }, { status });
  }
}

/** @throws AppError with what the server said, or when it does not answer. */
export async function askRunningServer(
  dataDir: string,
  command: AdminCommandName,
  input: unknown,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<unknown> {
  let told: unknown;
  try {
    const unix = await findControlSocket(dataDir);
    const body = JSON.stringify({ command, input });
    told = await withinTime(clock, answerLimitMinutes * 60_000, async (signal) => {
      const response = await fetch('http://localhost/', {
        unix,
        method: 'POST',
        body,
        signal,
        timeout: false,
      });
      return await response.json();
    });
  } catch (cause) {
    throw new AppError({ code: 'upstream_unreachable', public: await explainSilence(dataDir, cause), cause });
  }
  const said = answer.parse(told);
  if ('error' in said) throw new AppError({ code: 'invalid_parameter', public: said.error });
  return said.result;
}

/** As the runtime calls it when nobody listens at a path. */
const unheardCodes: ReadonlySet<unknown> = new Set(['FailedToOpenSocket', 'ConnectionRefused', 'ENOENT']);

/** Only a command that never reached the server can be repeated without a look at what it did. */
async function explainSilence(dataDir: string, cause: unknown): Promise<string> {
  if (cause instanceof Error && 'code' in cause && unheardCodes.has(cause.code))
    return await explainHolder(dataDir);
  const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
  const what = isLate
    ? `has not answered for ${answerLimitMinutes} minutes`
    : 'ended the connection before it answered';
  return `The server that runs on this data folder ${what}. It may have carried the command out, or still be at it: look at the result before you repeat it.`;
}

/** Who holds the folder need not be a server: a command holds it as well while it works, and listens to nobody. */
async function explainHolder(dataDir: string): Promise<string> {
  const holder = await findDataDirHolder(dataDir);
  if (holder === null)
    return `The process that had the data folder ${dataDir} took no commands, and has ended meanwhile. Try again.`;
  const who = holder.pid === null ? 'Another process' : `Process ${holder.pid}`;
  return `${who} has the data folder ${dataDir} and takes no commands: it is another command, or a server that is starting or ending. Try again when it is done.`;
}

const name = 'control.sock';
const knownPath = (dataDir: string): string => join(resolve(dataDir), 'run', name);

/** A socket that had to go elsewhere, because the data folder's path is too long for one, is linked to from there. */
async function prepareControlPlace(dataDir: string): Promise<SocketPlace> {
  const known = knownPath(dataDir);
  const place = await prepareSocketPlace(resolve(dataDir), name);
  if (place.path === known) return place;
  try {
    await mkdir(dirname(known), { recursive: true });
    await chmod(dirname(known), 0o700);
    await rm(known, { force: true });
    await symlink(place.path, known);
  } catch (error) {
    await place.remove();
    throw error;
  }
  return {
    ...place,
    async remove() {
      await rm(known, { force: true });
      await place.remove();
    },
  };
}

/** The path to connect to; whether anyone listens there shows when it is tried. */
async function findControlSocket(dataDir: string): Promise<string> {
  const known = knownPath(dataDir);
  try {
    return await readlink(known);
  } catch {
    return known;
  }
}
