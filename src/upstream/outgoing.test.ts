import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Abort } from '../base/abort.ts';
import type { ResolvedAddress } from '../base/addresses.ts';
import { AppError } from '../base/errors.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { HttpClient } from '../http/index.ts';
import { Outgoing, type OutgoingParts, pinOf } from './outgoing.ts';

const declared = { name: 'own', isDeclared: true };
const saved = { name: 'saved', isDeclared: false };
const address = (text: string): ResolvedAddress => ({ address: text, family: text.includes(':') ? 6 : 4 });

let clock: ManualClock;
/** What names lead to; none for a name that is unknown. */
let names: Record<string, readonly string[]>;
let asked: string[];

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  names = {
    'api.test': ['93.184.215.14'],
    'lan.test': ['192.168.1.9'],
    'both.test': ['93.184.215.14', '10.0.0.9'],
    'meta.test': ['169.254.169.254', 'fe80::1%2'],
    'mac.test': ['fe80::1c2d%2', '192.168.1.9', '10.0.0.7'],
    'host.containers.internal': ['169.254.1.2'],
  };
});

const outgoing = (parts: Partial<OutgoingParts> = {}): Outgoing =>
  new Outgoing({
    clock,
    resolve: async (name) => {
      asked.push(name);
      const found = names[name];
      if (found === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' });
      return found.map(address);
    },
    isPrivateAllowed: false,
    isProxied: () => false,
    client: null,
    ...parts,
  });

/** In a word: whether it may be asked, by which address where one is chosen. */
async function wayTo(url: string, row = declared, by = outgoing()): Promise<string> {
  try {
    const pinned = pinOf(await by.admit(url, row));
    return pinned === null ? 'as it is' : `${pinned.url} ${pinned.host} ${pinned.tls?.serverName ?? '-'}`;
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.internal}`;
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

describe('a request to a declared provider', () => {
  test.each([
    'https://api.test/v1/chat/completions',
    'http://lan.test:11434/v1',
    'http://host.containers.internal:11434/v1',
    'https://both.test/v1',
    'http://localhost:8000/v1',
    'http://ollama.localhost:8000/v1',
    'http://127.0.0.1:8000/v1/x',
    'http://[::1]:8000/v1/x',
    'http://10.1.2.3',
  ])('goes out as it is: %s', async (url) => expect(await wayTo(url)).toBe('as it is'));

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/v1',
    'http://0xa9.0xfe.0xa9.0xfe/v1',
    'http://0251.0376.0251.0376/v1',
    'http://169.254.169.254./v1',
    'http://api.test@169.254.169.254/v1',
    'http://api.test:443@169.254.169.254/v1',
    'http://169.254.169.254\\@api.test/v1',
    'http://169.254.169.254?.api.test/v1',
    'http://169.254.169.254#api.test/v1',
    'http:///169.254.169.254/v1',
    'http:/169.254.169.254/v1',
    'http:\\\\169.254.169.254/v1',
    ' http://169.254.169.254/v1',
    'ht\ntp://169.254.\n169.254/v1',
    'http://１６９.254.169.254/v1',
    'http://[::ffff:169.254.169.254]/v1',
    'http://[fd00:ec2::254]/v1',
    'http://100.100.100.200/v1',
    'http://[fe80::1]/v1',
    'http://metadata.google.internal/v1',
    'https://meta.test/v1',
  ])('never leaves for metadata or for one link: %p', async (url) => {
    const way = await wayTo(url);
    expect(way).toStartWith('no_provider: provider own: ');
    expect(way).toEndWith('never asked');
  });

  test.each(['http:////169.254.169.254/v1', 'https://', 'nothing', 'http://[::1/v1'])(
    'does not leave for what is no address: %p',
    async (url) => expect(await wayTo(url)).toStartWith('no_provider: '),
  );

  test('goes to an address that may be asked, where others of its name may not', async () => {
    const by = outgoing();
    const pinned = 'http://192.168.1.9:11434/v1 mac.test:11434 -';
    expect(await wayTo('http://mac.test:11434/v1', declared, by)).toBe(pinned);
    expect(await wayTo('http://mac.test:11434/v1', declared, by)).toBe(pinned);
    const again = pinOf(await by.admit('http://mac.test:11434/v1', declared, true));
    expect(again?.url).toBe('http://10.0.0.7:11434/v1');
  });

  test('goes to those first that were not unreachable lately, and of all such to the one of the longest ago', async () => {
    names['many.test'] = ['2606:4700::1111', '2606:4700::1001', '93.184.215.14'];
    const by = outgoing();
    const [url, six, otherSix, four] = [
      ...['https://many.test:8443/v1', 'https://[2606:4700::1111]:8443/v1'],
      ...['https://[2606:4700::1001]:8443/v1', 'https://93.184.215.14:8443/v1'],
    ] as const;
    const next = async (isRetry = false) => pinOf(await by.admit(url, saved, isRetry))?.url;
    expect([await next(), await next(true)]).toEqual([six, otherSix]);
    for (const [unreached, first, second] of [
      [six, otherSix, four],
      [otherSix, four, six],
      [four, six, otherSix],
    ] as const) {
      await clock.advance(1000);
      by.notReached(unreached);
      expect([await next(), await next(true)]).toEqual([first, second]);
    }
    await clock.advance(600_000);
    expect([await next(), await next(true)]).toEqual([six, otherSix]);
  });

  test('to a name that is unknown fails as the network does', async () => {
    expect(await wayTo('https://gone.test/v1')).toBe('ENOTFOUND');
    names['empty.test'] = [];
    expect(await wayTo('https://empty.test/v1')).toBe('ENOTFOUND');
  });

  test('asks for its name once, and again behind later requests', async () => {
    const by = outgoing();
    expect(by.admit('https://api.test/v1/a', declared)).toBeInstanceOf(Promise);
    await by.admit('https://api.test/v1/b', declared);
    expect(by.admit('https://api.test/v1/c', declared)).toBeNull();
    expect(asked).toEqual(['api.test']);
    await clock.advance(61_000);
    expect(by.admit('https://api.test/v1/d', declared)).toBeNull();
    expect(by.admit('https://api.test/v1/e', declared)).toBeNull();
    await clock.advance(0);
    expect(asked).toEqual(['api.test', 'api.test']);
    expect(by.admit('http://127.0.0.1/v1', declared)).toBeInstanceOf(Promise);
  });

  test('is refused once its name has come to lead to metadata', async () => {
    const by = outgoing();
    expect(await wayTo('https://api.test/v1', declared, by)).toBe('as it is');
    names['api.test'] = ['169.254.169.254'];
    await clock.advance(61_000);
    void by.admit('https://api.test/v1', declared);
    await clock.advance(0);
    expect(await wayTo('https://api.test/v1', declared, by)).toContain('leads to 169.254.169.254');
  });

  test('goes by what was found for ten minutes where nobody answers, and no longer', async () => {
    const by = outgoing();
    await by.admit('https://api.test/v1', declared);
    delete names['api.test'];
    await clock.advance(599_000);
    expect(await wayTo('https://api.test/v1', declared, by)).toBe('as it is');
    await clock.advance(2000);
    expect(await wayTo('https://api.test/v1', declared, by)).toBe('ENOTFOUND');
  });

  test('waits for a silent resolver ten seconds', async () => {
    const by = outgoing({ resolve: () => new Promise(() => undefined) });
    const way = wayTo('https://api.test/v1', declared, by);
    await clock.advance(10_000);
    expect(await way).not.toBe('as it is');
    expect(clock.pendingTimers).toBe(0);
  });

  test('leaves names that are unknown here to the proxy, where there is one, and no others', async () => {
    const by = outgoing({ isProxied: ({ protocol }) => protocol === 'https:' });
    expect(await wayTo('https://gone.test/v1', declared, by)).toBe('as it is');
    expect(await wayTo('http://gone.test/v1', declared, by)).toBe('ENOTFOUND');
    expect(await wayTo('http://gone.test/v1', saved, by)).toBe('ENOTFOUND');
    expect(await wayTo('https://meta.test/v1', declared, by)).toContain('169.254.169.254');
    expect(await wayTo('https://mac.test/v1', declared, by)).toContain('fe80::1c2d%2');
    expect(await wayTo('http://metadata.google.internal/v1', declared, by)).toContain('never asked');
  });

  test('keeps so many origins in mind and no more', async () => {
    const by = outgoing({ resolve: async () => [address('1.1.1.1')] });
    for (let at = 0; at <= 2000; at += 1) await by.admit(`https://h${at}.test/v1`, declared);
    expect(by.admit('https://h2000.test/v1', declared)).toBeNull();
    expect(by.admit('https://h0.test/v1', declared)).toBeInstanceOf(Promise);
  });
});

describe('a request to a provider that was saved otherwise', () => {
  test('goes to the address that was looked at, under its name', async () => {
    expect(await wayTo('https://api.test:8443/v1/x?y#z', saved)).toBe(
      'https://93.184.215.14:8443/v1/x?y#z api.test:8443 api.test',
    );
    names['six.test.'] = ['2606:4700::1111'];
    expect(await wayTo('http://six.test./v1', saved)).toBe('http://[2606:4700::1111]/v1 six.test. -');
  });

  test.each(['http://lan.test/v1', 'http://127.0.0.1:8000/v1', 'http://localhost/v1', 'http://0x7f.1/'])(
    'leads into no private network: %s',
    async (url) => {
      expect(await wayTo(url, saved)).toContain('is in a private network');
      const way = await wayTo(url, saved, outgoing({ isPrivateAllowed: true }));
      expect(way).not.toContain('no_provider');
    },
  );

  test('goes to the public address of a name that has a private one beside it', async () => {
    names['both.test'] = ['10.0.0.9', '93.184.215.14'];
    const by = outgoing();
    expect(await wayTo('https://both.test/v1', saved, by)).toBe(
      'https://93.184.215.14/v1 both.test both.test',
    );
    expect(await wayTo('https://both.test/v1', declared, by)).toBe('as it is');
    expect(await wayTo('http://mac.test/v1', saved, by)).toContain('never asked');
    expect(await wayTo('http://mac.test/v1', saved, outgoing({ isPrivateAllowed: true }))).toStartWith(
      'http://192.168.1.9/v1',
    );
  });

  test('goes to a proxy by its name, which that knows in its rules', async () => {
    const by = outgoing({ isProxied: ({ protocol }) => protocol === 'https:' });
    expect(await wayTo('https://api.test/v1', saved, by)).toBe('as it is');
    expect(await wayTo('http://api.test/v1', saved, by)).toStartWith('http://93.184.215.14/v1');
    expect(await wayTo('https://lan.test/v1', saved, by)).toContain('is in a private network');
  });

  test('never leads to metadata, whatever is set', async () => {
    const by = outgoing({ isPrivateAllowed: true });
    expect(await wayTo('https://meta.test/v1', saved, by)).toContain('never asked');
    expect(await wayTo('http://169.254.169.254/', saved, by)).toContain('never asked');
  });
});

describe('a request over a socket', () => {
  let server: Bun.Server<undefined>;
  let hosts: string[];
  /** The runtime's `fetch` says of itself who it is. */
  let agents: string[];

  beforeEach(() => {
    hosts = [];
    agents = [];
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        hosts.push(request.headers.get('host') ?? '');
        agents.push(request.headers.get('user-agent') ?? 'our own');
        const moved = { status: 307, headers: { location: 'http://169.254.169.254/latest' } };
        return new URL(request.url).pathname === '/moved' ? new Response('', moved) : new Response('fine');
      },
    });
  });
  afterEach(() => server.stop(true));

  test('reaches what its name led to when it was looked at, wherever it leads by then', async () => {
    names['turns.test'] = ['127.0.0.1'];
    const by = outgoing({ isPrivateAllowed: true });
    const url = `http://turns.test:${server.port}/v1`;
    expect(await by.admit(url, saved)).not.toBeNull();
    names['turns.test'] = ['169.254.169.254'];
    expect(await (await by.fetch(url, {}, saved)).text()).toBe('fine');
    expect(hosts).toEqual([`turns.test:${server.port}`]);
    await clock.advance(601_000);
    await expect(by.fetch(url, {}, saved)).rejects.toMatchObject({ code: 'no_provider' });
    expect(hosts).toHaveLength(1);
  });

  const streamed = () => new Blob(['a', 'b']).stream();
  test.each([
    ['our own client, where it is whole beforehand', { body: 'ab' }, /^our own$/],
    ['fetch, where it is made while it is sent', { body: streamed() }, /^Bun/],
    ['fetch, where a proxy would take it', { body: 'ab', isProxied: () => true }, /^Bun/],
    ['fetch, where the setting says so', { body: 'ab', client: null }, /^Bun/],
  ] as const)('goes by %s', async (_, { body, ...parts }, agent) => {
    const by = outgoing({ isPrivateAllowed: true, client: new HttpClient(), ...parts });
    names['own.test'] = ['127.0.0.1'];
    const abort = new Abort();
    for (const [host, row] of [
      ['127.0.0.1', declared],
      ['own.test', saved],
    ] as const) {
      const url = `http://${host}:${server.port}/v1`;
      const way = await by.admit(url, row);
      // No proxy is there that could find the name.
      if (way === 'proxied' && host === 'own.test') continue;
      const answer = await by.send(
        way,
        { url, headers: {}, body: body === 'ab' ? body : streamed() },
        abort,
        false,
      );
      expect(await answer.text()).toBe('fine');
      expect(hosts.at(-1)).toBe(`${host}:${server.port}`);
    }
    for (const each of agents) expect(each).toMatch(agent);
    expect(agents).not.toBeEmpty();
  });

  test('follows nobody', async () => {
    const response = await outgoing().fetch(`http://127.0.0.1:${server.port}/moved`, {}, declared);
    expect(response.status).toBe(307);
    expect(hosts).toHaveLength(1);
  });
});

describe('over TLS', () => {
  /** Who signed it is trusted from the start of a process on. */
  const ask = async (name: string, variables: Readonly<Record<string, string>> = {}) => {
    const folder = join(import.meta.dir, 'fixtures');
    const certificate = join(folder, 'provider.test.crt.pem');
    const script = `
      import { Outgoing } from ${JSON.stringify(join(import.meta.dir, 'outgoing.ts'))};
      import { systemClock } from ${JSON.stringify(join(import.meta.dir, '..', 'base', 'clock.ts'))};
      const tls = { cert: Bun.file(${JSON.stringify(certificate)}), key: Bun.file(${JSON.stringify(join(folder, 'provider.test.key.pem'))}) };
      const server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: (http) => new Response(http.headers.get('host')) });
      const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
      const outgoing = new Outgoing({ clock: systemClock, resolve, isPrivateAllowed: true, isProxied: () => false });
      const row = { name: 'saved', isDeclared: false };
      const answer = await outgoing.fetch(\`https://${name}:\${server.port}/\`, {}, row).then((r) => r.text(), (e) => e.code);
      console.log(answer.replace(/:\\d+$/, ''));
      process.exit(0);`;
    const child = Bun.spawn([process.execPath, '-e', script], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate, ...variables },
    });
    return (await new Response(child.stdout).text()).trim();
  };

  test('the certificate is that of the name, and not of the address', async () => {
    expect(await ask('provider.test')).toBe('provider.test');
    expect(await ask('another.test')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test('no proxy is asked for the address of a name that it is not asked for', async () => {
    const variables = { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'provider.test' };
    expect(await ask('provider.test', variables)).toBe('provider.test');
  });
});
