/**
 * The door through which the command line reaches a server that holds the embedded database: HTTP on a unix socket
 * in the data folder, which only the owner of that folder can open.
 */
import { chmodSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { AppError, asAppError } from '../base/errors.ts';
import {
  type AdminCommandName,
  type AdminContext,
  isAdminCommand,
  runAdminCommand,
} from './commands/admin-command.ts';
import { socketPath } from './socket-path.ts';

const request = z.object({ command: z.string(), input: z.unknown() });
const answer = z.union([
  z.object({ result: z.unknown() }),
  z.object({ error: z.string(), fields: z.array(z.string()).optional() }),
]);

export interface ControlSocket {
  close(): Promise<void>;
}

export function openControlSocket(dataDir: string, context: AdminContext): ControlSocket {
  const path = socketPath(dataDir);
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    fetch: async (http) => {
      try {
        const { command, input } = request.parse(await http.json());
        if (!isAdminCommand(command))
          throw new AppError({ code: 'not_found', public: `There is no ${command}.` });
        return Response.json({ result: await runAdminCommand(context, command, input) });
      } catch (thrown) {
        const error = asAppError(thrown);
        return Response.json({ error: error.message }, { status: error.status });
      }
    },
  });
  chmodSync(path, 0o600);
  return {
    async close() {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

/** @throws AppError with what the server said, or when it does not answer. */
export async function askRunningServer(
  dataDir: string,
  command: AdminCommandName,
  input: unknown,
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch('http://localhost/', {
      unix: socketPath(dataDir),
      method: 'POST',
      body: JSON.stringify({ command, input }),
      signal: AbortSignal.timeout(30_000),
    });
  } catch (cause) {
    throw new AppError({
      code: 'upstream_unreachable',
      public: 'A server is running on this data folder, but it does not answer. Stop it, or try again.',
      cause,
    });
  }
  const said = answer.parse(await response.json());
  if ('error' in said) throw new AppError({ code: 'invalid_parameter', public: said.error });
  return said.result;
}
