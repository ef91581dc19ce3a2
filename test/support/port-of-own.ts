/** A port to listen on later, and again after a restart. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give out by themselves, so that nobody is given it in between. */
const [firstPort, pastPort] = [10_000, 32_000];

/** It is free now; one at random, since other tests look for theirs at the same time. */
export async function portOfOwn(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * (pastPort - firstPort));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
