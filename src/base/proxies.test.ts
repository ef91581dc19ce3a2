import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';

/** With P for the address of a proxy. What is no proxied address is at a port where nobody listens. */
const cases: readonly (readonly [
  variables: Readonly<Record<string, string>>,
  url: string,
  isProxied: boolean,
])[] = [
  [{}, 'http://a.localhost:1', false],
  [{ HTTP_PROXY: 'P' }, 'http://a.localhost:1', true],
  [{ http_proxy: 'P' }, 'http://127.0.0.1:1', true],
  [{ HTTP_PROXY: 'P' }, 'https://a.localhost:1', false],
  [{ HTTPS_PROXY: 'P' }, 'http://a.localhost:1', false],
  [{ HTTPS_PROXY: 'P' }, 'https://a.localhost:1', true],
  [{ ALL_PROXY: 'P' }, 'http://a.localhost:1', true],
  [{ all_proxy: 'P' }, 'https://a.localhost:1', true],
  [{ http_proxy: '', HTTP_PROXY: 'P' }, 'http://a.localhost:1', true],
  [{ HTTP_PROXY: '', ALL_PROXY: 'P' }, 'http://a.localhost:1', true],
  [{ HTTP_PROXY: '""', ALL_PROXY: 'P' }, 'http://a.localhost:1', true],
  [{ HTTP_PROXY: '""' }, 'http://a.localhost:1', false],
  [{ ALL_PROXY: 'socks5://127.0.0.1:1' }, 'http://a.localhost:1', false],
  [{ HTTP_PROXY: 'P', no_proxy: '', NO_PROXY: 'a.localhost' }, 'http://a.localhost:1', false],
  [{ HTTP_PROXY: 'P', no_proxy: 'b.localhost', NO_PROXY: 'a.localhost' }, 'http://a.localhost:1', true],
  [{ ALL_PROXY: 'P', NO_PROXY: 'a.localhost' }, 'http://a.localhost:1', false],
  ...(
    [
      ['a.localhost', false],
      ['A.Localhost.', false],
      ['localhost', false],
      ['.localhost', false],
      ['*.localhost', false],
      ['*.a.localhost', false],
      ['..localhost', true],
      ['ocalhost', true],
      ['*localhost', true],
      ['x.a.localhost', true],
      ['a.localhost:1', false],
      ['.localhost:01', false],
      ['a.localhost:2', true],
      ['a.localhost:', true],
      ['b.localhost,  a.localhost', false],
      ['b.localhost\ta.localhost', false],
      ['b.localhost;a.localhost', true],
      ['*', false],
      ['b.localhost,*', false],
      ['**', true],
      ['*:1', true],
      ['.', true],
      [',,', true],
      ['""', true],
    ] as const
  ).map(([except, is]) => [{ HTTP_PROXY: 'P', NO_PROXY: except }, 'http://a.localhost:1', is] as const),
  ...(
    [
      ['127.0.0.1', false],
      ['127.0.0.1:1', false],
      ['127.0.0.1:2', true],
      ['127.0.0.0/8', false],
      ['128.0.0.0/8', true],
      ['127.0.0.1/33', true],
      ['127.0.0.1/', true],
      ['0.0.0.0/0', false],
      ['::ffff:0:0/96', false],
      ['1', true],
      ['0.1', true],
      ['*.0.0.1', true],
    ] as const
  ).map(([except, is]) => [{ HTTP_PROXY: 'P', NO_PROXY: except }, 'http://127.0.0.1:1', is] as const),
  ...(
    [
      ['[::1]', false],
      ['::1', false],
      ['[::1]:1', false],
      ['[::1]:2', true],
      ['::1/128', false],
      ['0:0::1', false],
      ['fe80::/10', true],
      ['0.0.0.0/0', true],
    ] as const
  ).map(([except, is]) => [{ HTTP_PROXY: 'P', NO_PROXY: except }, 'http://[::1]:1', is] as const),
];

describe('what a proxy is asked for', () => {
  test('is told as the runtime does it, variable by variable', async () => {
    // In a process of its own: the variables hold for all of one.
    const script = `
      import { isProxiedBy, readProxies } from ${JSON.stringify(join(import.meta.dir, 'proxies.ts'))};
      const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
      const proxy = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: {
        data: (socket) => void socket.end('HTTP/1.1 418 no\\r\\ncontent-length: 0\\r\\nconnection: close\\r\\n\\r\\n'),
      } });
      const told = [];
      for (const [variables, url] of ${JSON.stringify(cases)}) {
        for (const name of names) delete process.env[name];
        for (const [name, value] of Object.entries(variables)) {
          process.env[name] = value === 'P' ? \`http://127.0.0.1:\${proxy.port}\` : value;
        }
        const done = await fetch(url).then(({ status }) => status, ({ code }) => code);
        told.push([done === 418 || done === 'ERR_PROXY_TUNNEL', isProxiedBy(readProxies(process.env))(new URL(url))]);
      }
      console.log(JSON.stringify(told));
      process.exit(0);`;
    const child = Bun.spawn([process.execPath, '-e', script]);
    const told: readonly (readonly [boolean, boolean])[] = await new Response(child.stdout).json();
    const rows = cases.map(([variables, url], at) => ({ variables, url, of: told[at] }));
    expect(rows).toEqual(cases.map(([variables, url, is]) => ({ variables, url, of: [is, is] })));
  });
});
