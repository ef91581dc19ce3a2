/** Starts the mail server of `receiver.ts`, and asks it what has arrived. */
import { join } from 'node:path';
import { z } from 'zod';

const started = z.object({ port: z.number() });
const counted = z.object({
  mails: z.number(),
  distinct: z.number(),
  bytes: z.number(),
  mostOpen: z.number(),
});

export interface Receiver {
  readonly url: string;
  count(): Promise<z.output<typeof counted>>;
  stop(): void;
}

export async function openReceiver(): Promise<Receiver> {
  const told: ((said: unknown) => void)[] = [];
  const next = () => new Promise<unknown>((resolve) => told.push(resolve));
  const listening = next();
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, 'receiver.ts')], {
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (said) => told.shift()?.(said),
  });
  const { port } = started.parse(await listening);
  return {
    url: `smtp://127.0.0.1:${port}`,
    async count() {
      const answer = next();
      child.send({});
      return counted.parse(await answer);
    },
    stop: () => child.kill(),
  };
}
