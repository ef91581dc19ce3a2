/** Portkey's gateway on Node, from the packages in bench/packages. The caller names provider and host in headers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../programs/free-port.ts';
import { type Contender, plainHeaders } from './contender.ts';
import { readPackageVersion } from './package-version.ts';
import { startProxy } from './start-proxy.ts';

const packageFolder = join(import.meta.dirname, '..', 'packages', 'node_modules', '@portkey-ai', 'gateway');

/** Undefined where it is not installed or there is no Node. */
export function findPortkey(): Contender | undefined {
  const script = join(packageFolder, 'build', 'start-server.js');
  const node = Bun.which('node');
  if (node === null || !existsSync(script)) return undefined;
  return {
    name: 'portkey',
    title: `Portkey gateway ${readPackageVersion(packageFolder)} on Node ${readNodeVersion(node)}`,
    start: ({ programs, upstreamPort }) => {
      const port = freePort();
      const headers = {
        ...plainHeaders,
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
      };
      const command = [node, script, `--port=${port}`, '--headless'];
      return startProxy({ programs, name: 'portkey', port, command, headers });
    },
  };
}

function readNodeVersion(node: string): string {
  return Bun.spawnSync([node, '--version'], { stdout: 'pipe' }).stdout.toString().trim().replace('v', '');
}
