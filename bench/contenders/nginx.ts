/** nginx as a bare proxy: one worker, kept upstream connections, no buffering. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../programs/free-port.ts';
import { type Contender, plainHeaders } from './contender.ts';
import { startProxy } from './start-proxy.ts';

/** Undefined where nginx is not installed. */
export function findNginx(): Contender | undefined {
  const program = Bun.which('nginx', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` });
  if (program === null) return undefined;
  return {
    name: 'nginx',
    title: readVersion(program),
    start: ({ programs, folder, upstreamPort }) => {
      const port = freePort();
      const file = join(folder, 'nginx.conf');
      writeFileSync(file, writeConfiguration({ folder, port, upstreamPort }));
      const command = [program, '-p', folder, '-c', file, '-e', 'stderr'];
      return startProxy({
        programs,
        name: 'nginx',
        port,
        command,
        headers: plainHeaders,
        healthPath: '/health',
      });
    },
  };
}

function readVersion(program: string): string {
  const { stderr } = Bun.spawnSync([program, '-v'], { stderr: 'pipe' });
  return stderr.toString().replace('nginx version: nginx/', 'nginx ').trim();
}

function writeConfiguration(place: { folder: string; port: number; upstreamPort: number }): string {
  const { folder, port, upstreamPort } = place;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${join(folder, kind)};`,
  );
  // Started by root, nginx would hand its worker to an account that cannot read the bench's folder.
  const account = process.getuid?.() === 0 ? ['user root;'] : [];
  return [
    ...account,
    'daemon off;',
    'worker_processes 1;',
    'worker_rlimit_nofile 20000;',
    `pid ${join(folder, 'nginx.pid')};`,
    'events { worker_connections 10000; }',
    'http {',
    '  access_log off;',
    '  keepalive_requests 100000000;',
    ...temporary,
    '  upstream double {',
    `    server 127.0.0.1:${upstreamPort};`,
    '    keepalive 2048;',
    '    keepalive_requests 100000000;',
    '  }',
    '  server {',
    `    listen 127.0.0.1:${port} backlog=4096;`,
    '    location = /health { return 200; }',
    '    location / {',
    '      proxy_pass http://double;',
    '      proxy_http_version 1.1;',
    '      proxy_set_header Connection "";',
    '      proxy_buffering off;',
    '    }',
    '  }',
    '}',
    '',
  ].join('\n');
}
