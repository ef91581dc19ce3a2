/** The bare Bun + Hono proxy of bare-proxy.ts. */
import { join } from 'node:path';
import { freePort } from '../programs/free-port.ts';
import { type Contender, plainHeaders } from './contender.ts';
import { readPackageVersion } from './package-version.ts';
import { startProxy } from './start-proxy.ts';

const benchFolder = join(import.meta.dirname, '..');
const honoFolder = join(benchFolder, '..', 'node_modules', 'hono');

export const bare: Contender = {
  name: 'bare',
  title: `bare proxy: Bun ${Bun.version} + Hono ${readPackageVersion(honoFolder)}`,
  start: ({ programs, upstreamPort }) => {
    const port = freePort();
    const upstream = `http://127.0.0.1:${upstreamPort}`;
    const script = join(benchFolder, 'bare-proxy.ts');
    const command = [process.execPath, script, String(port), upstream];
    return startProxy({
      programs,
      name: 'bare',
      port,
      command,
      headers: plainHeaders,
      healthPath: '/health',
      runsOnBun: true,
    });
  },
};
