/**
 * Whom the client trusts over TLS: beside `fetch`, which a setting puts in its place, and which must refuse and take the
 * same. Whose certificates are trusted is read when a process starts, so that each case is one.
 */
import { describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { Abort } from '../base/abort.ts';
import { HttpClient } from './http-client.ts';

const fixtures = join(import.meta.dir, '..', 'upstream', 'fixtures');
const certificate = join(fixtures, 'provider.test.crt.pem');

/** A server with the certificate of `provider.test`, and what both clients say of it. */
const script = `
  const { HttpClient } = await import(${JSON.stringify(join(import.meta.dir, 'http-client.ts'))});
  const { Abort } = await import(${JSON.stringify(join(import.meta.dir, '..', 'base', 'abort.ts'))});
  const [path, serverName] = process.argv.slice(1);
  const tls = { cert: Bun.file(${JSON.stringify(certificate)}), key: Bun.file(${JSON.stringify(join(fixtures, 'provider.test.key.pem'))}) };
  let connections = new Set();
  const server = Bun.serve({
    port: 0, hostname: '127.0.0.1', ...(path === 'plain' ? {} : { tls }),
    fetch(http, server) { connections.add(server.requestIP(http).port); return new Response(http.headers.get('host')); },
  });
  const url = \`https://127.0.0.1:\${server.port}/\`;
  const abort = new Abort();
  const client = new HttpClient({ isTrustWaived: process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0' });
  const name = serverName === undefined ? {} : { serverName };
  const own = () => client.post({ url, headers: {}, body: '', abort, mayReuse: true, host: 'provider.test', ...name });
  const fetched = () => fetch(url, { method: 'POST', headers: { host: 'provider.test' }, tls: { ...name } });
  const said = async (ask) => ask().then((r) => r.text(), (e) => e.code);
  const all = { fetch: await said(fetched) };
  connections = new Set();
  console.log(JSON.stringify({ ...all, own: await said(own), again: await said(own), connections: connections.size }));
  process.exit(0);`;

async function ask(
  names: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const env = { ...process.env, ...variables };
  const child = Bun.spawn([process.execPath, '-e', script, ...names], { env, stderr: 'ignore' });
  return JSON.parse(await new Response(child.stdout).text());
}

const trusted = { NODE_EXTRA_CA_CERTS: certificate };
const taken = { fetch: 'provider.test', own: 'provider.test', again: 'provider.test', connections: 1 };
const refused = (code: string) => ({ fetch: code, own: code, again: code, connections: 0 });

describe('over TLS', () => {
  test('a trusted certificate of the name that is asked for is taken, and its connection is used again', async () => {
    expect(await ask(['tls', 'provider.test'], trusted)).toEqual(taken);
  });

  test('a certificate of another name is refused', async () => {
    const code = 'ERR_TLS_CERT_ALTNAME_INVALID';
    expect(await ask(['tls', 'another.test'], trusted)).toEqual(refused(code));
    expect(await ask(['tls', 'test'], trusted)).toEqual(refused(code));
    // Without a name it would have to be that of the address.
    expect(await ask(['tls'], trusted)).toMatchObject({ own: code, connections: 0 });
  });

  test('a certificate that nobody trusts is refused', async () => {
    expect(await ask(['tls', 'provider.test'], {})).toEqual(refused('DEPTH_ZERO_SELF_SIGNED_CERT'));
  });

  test('it says that it speaks HTTP/1.1', async () => {
    const key = await Bun.file(join(fixtures, 'provider.test.key.pem')).text();
    const cert = await Bun.file(certificate).text();
    const spoken = Promise.withResolvers<unknown>();
    const server = createServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      spoken.resolve(socket.alpnProtocol);
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 204 None\r\n\r\n');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const url = `https://127.0.0.1:${port}/`;
      await new HttpClient({ isTrustWaived: true }).post({
        url,
        headers: {},
        body: '',
        abort: new Abort(),
        mayReuse: true,
      });
      expect(await spoken.promise).toBe('http/1.1');
    } finally {
      server.close();
    }
  });

  test('where trust is waived any certificate is taken', async () => {
    const waived = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(await ask(['tls', 'another.test'], waived)).toEqual(taken);
  });

  test('a server that speaks no TLS is told nothing', async () => {
    const said = await ask(['plain', 'provider.test'], trusted);
    expect(said).toMatchObject({ again: said['own'], connections: 0 });
    expect(said['own']).not.toBe('provider.test');
  });
});
