/** What a file says of organisations, identity providers and portals: its mistakes, and what becomes of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../base/clock.ts';
import { openEnvelope } from '../base/envelope.ts';
import { systemIds } from '../base/ids.ts';
import { everybody } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { ResellerHosts } from '../identity/index.ts';
import { listOrganisations } from '../identity/organisations.ts';
import { Wallets } from '../ledger/index.ts';
import type { Storage } from '../storage/index.ts';
import { resellerHosts } from '../storage/schema/identity.ts';
import { applyConfiguration } from './apply.ts';
import { readConfiguration, readConfigurationFile } from './file.ts';
import { ConfigurationError, writeMistake } from './mistake.ts';

const rules = { providerKinds: new Map(), tokenPrefix: 'sluice_' };
const good = `organisations:
  - { slug: acme, name: Acme }
identity_providers:
  - { name: google, kind: google, client_id: g, client_secret: "\${SECRET}" }
  - { name: hub, kind: github, client_id: h, client_secret: s, issuer: "https://git.acme.test/" }
  - name: work
    kind: oidc
    label: Acme
    issuer: https://login.acme.test/
    client_id: c
    client_secret: s
    enforced_domains: [ACME.test]
    organisation: acme
portals:
  - { host: AI.Pelican.test, name: Pelican, accent: "#7a3db8", organisation: acme }
`;

const read = (text: string) =>
  readConfiguration(text, { path: '/etc/sluice.yaml', variables: { SECRET: 'sealed' }, ...rules });

function mistakesWith(from: string, to: string): string[] {
  const text = good.replace(from, to);
  expect(text).not.toBe(good);
  return read(text).mistakes.map(writeMistake);
}

test('identity providers are read with what is known of their kind', () => {
  const { file, mistakes } = read(good);
  expect(mistakes).toEqual([]);
  expect(file?.identityProviders).toEqual([
    {
      name: 'google',
      kind: 'google',
      label: 'Google',
      clientId: 'g',
      clientSecret: 'sealed',
      issuer: 'https://accounts.google.com',
      enforcedDomains: [],
      organisation: null,
    },
    expect.objectContaining({ label: 'GitHub', issuer: 'https://git.acme.test' }),
    expect.objectContaining({
      label: 'Acme',
      issuer: 'https://login.acme.test/',
      enforcedDomains: ['acme.test'],
      organisation: 'acme',
    }),
  ]);
});

describe('a mistake', () => {
  test.each([
    [
      'name: hub',
      'name: google',
      'identity_providers[1].name: another entry of identity_providers has the same',
    ],
    [
      'name: hub',
      'name: sso',
      'identity_providers[1].name: is a word of the addresses of this service: take another',
    ],
    [
      'name: hub',
      'name: Hub',
      'identity_providers[1].name: expected lower-case letters, digits and hyphens, a letter first',
    ],
    ['kind: github', 'kind: gitlab', 'identity_providers[1].kind: expected one of google, github, oidc'],
    ['    issuer: https://login.acme.test/\n', '', 'identity_providers[2].issuer: is missing'],
    [
      'client_id: g',
      'client_id: g, issuer: "https://a.test"',
      'identity_providers[0].issuer: is known of google: leave it out, or write kind: oidc',
    ],
    [
      'https://login.acme.test/',
      'http://login.acme.test/',
      'identity_providers[2].issuer: expected an https address without a user or a query; http is for this machine alone',
    ],
    [
      'https://login.acme.test/',
      'https://me@login.acme.test/',
      'identity_providers[2].issuer: expected an https address without a user or a query',
    ],
    [
      '[ACME.test]',
      '[acme]',
      'identity_providers[2].enforced_domains[0]: expected the part of an address behind the @',
    ],
    [
      'client_id: g',
      'client_id: g, enforced_domains: [acme.test]',
      'identity_providers[2].enforced_domains[0]: acme.test belongs to google already',
    ],
    [
      '    organisation: acme\n',
      '    organisation: acne\n',
      'identity_providers[2].organisation: this file declares no organisation "acne" (did you mean "acme"?)',
    ],
    [
      'organisation: acme }',
      'organisation: other }',
      'portals[0].organisation: this file declares no organisation "other"',
    ],
    ['AI.Pelican.test', 'https://ai.pelican.test', 'portals[0].host: expected a host such as ai.example.com'],
    ['"#7a3db8"', 'violet', 'portals[0].accent: expected a colour such as "#7a3db8"'],
    ['slug: acme', 'slug: Acme', 'organisations[0].slug: expected up to 63 lower-case letters'],
    ['client_secret: "', 'secret: "', 'identity_providers[0].client_secret: is missing'],
  ])('%s → %s', (from, to, told) => {
    expect(mistakesWith(from, to).join('\n')).toContain(told);
  });

  test('never shows a secret, and a secret in so many words is told of where all can read it', () => {
    const text = good.replace('client_secret: s,', 'client_secret: "with space",');
    expect(read(text).mistakes.map(writeMistake).join()).not.toContain('with space');
    const { warnings } = readConfiguration(good, {
      path: '/etc/sluice.yaml',
      variables: { SECRET: 'x' },
      isOpenToAll: true,
      ...rules,
    });
    expect(warnings.map(writeMistake).join()).toContain('identity_providers[1].client_secret');
  });
});

describe('the picture of a portal', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portal-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const withLogo = async (svg: string | Uint8Array | null) => {
    if (svg !== null) await Bun.write(join(folder, 'logo.svg'), svg);
    await Bun.write(
      join(folder, 'sluice.yaml'),
      good.replace('accent: "#7a3db8"', `logo: ${svg === null ? 'none.svg' : 'logo.svg'}`),
    );
    return readConfigurationFile(join(folder, 'sluice.yaml'), { SECRET: 'x' }, rules);
  };

  test('is read from beside the file', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';
    expect((await withLogo(svg)).file?.logos.get(0)).toBe(svg);
  });

  test.each([
    [null, 'cannot read'],
    ['a text', 'expected an SVG picture'],
    ['<svg><script>1</script></svg>', 'without scripts'],
    ['<svg onload="x()"></svg>', 'without scripts'],
    ['<svg><image href="//elsewhere.test/a.png"/></svg>', 'without anything from elsewhere'],
    [`<svg>${'x'.repeat(32_768)}</svg>`, 'has more than 32768 bytes'],
  ])('%p is told as a mistake of its line', async (svg, told) => {
    const { file, mistakes } = await withLogo(svg);
    expect(file).toBeNull();
    const [mistake = '', ...others] = mistakes.map(writeMistake);
    expect(others).toEqual([]);
    expect(mistake).toStartWith('sluice.yaml:15:');
    expect(mistake).toContain(told);
  });
});

describeOnEachDatabase('applying it', (openDatabase) => {
  let storage: Storage;
  let hosts: ResellerHosts;
  beforeAll(async () => {
    storage = await openDatabase();
    const onReloadFailed = (error: unknown) => {
      throw error;
    };
    const { db, changes } = storage;
    hosts = await ResellerHosts.open({ db, changes, clock: systemClock, onReloadFailed });
  });
  afterAll(async () => {
    await hosts.close();
    await storage.close();
  });

  const apply = async (text: string) => {
    const { file, mistakes } = read(text);
    if (file === null) throw new ConfigurationError(mistakes);
    const { db, changes } = storage;
    const report = await applyConfiguration(
      { file, declared: { providers: [], models: [] } },
      {
        storage,
        envelope: await openEnvelope('a secret of thirty-two characters'),
        wallets: new Wallets({ db, changes, clock: systemClock }),
        clock: systemClock,
        ids: systemIds,
        tokenPrefix: 'sluice_',
      },
    );
    await hosts.reload();
    return report.changed;
  };

  test('writes organisations and portals once, changes them, and takes back what is no more', async () => {
    expect(await apply(good)).toBe(true);
    const [acme] = await listOrganisations(everybody, storage.db);
    expect(acme).toMatchObject({ slug: 'acme', name: 'Acme', managedBy: 'file' });
    expect(hosts.find('ai.PELICAN.test')).toEqual({
      host: 'ai.pelican.test',
      name: 'Pelican',
      accent: '#7a3db8',
      logo: null,
      organisationId: acme?.id ?? 0,
    });
    expect(hosts.find('other.test')).toBeUndefined();
    expect(await apply(good)).toBe(false);
    expect(await apply(good.replace('name: Pelican', 'name: Heron'))).toBe(true);
    expect(hosts.find('ai.pelican.test')?.name).toBe('Heron');
    expect(await apply('{}')).toBe(true);
    expect(hosts.find('ai.pelican.test')).toBeUndefined();
    // Its people, keys and history need it.
    expect(await listOrganisations(everybody, storage.db)).toHaveLength(1);
  });

  test('is heard of by every process', async () => {
    const { db, changes } = storage;
    const clock = systemClock;
    const others = await ResellerHosts.open({ db, changes, clock, onReloadFailed: () => undefined });
    await apply(good.replace('name: Pelican', 'name: Stork'));
    while (others.find('ai.pelican.test')?.name !== 'Stork') await new Promise((done) => setImmediate(done));
    await others.close();
  });

  test('is read again by itself where that failed', async () => {
    const clock = new ManualClock();
    let isAway = false;
    let failures = 0;
    const db = new Proxy(storage.db, {
      get(target, name) {
        if (name === 'select' && isAway) throw new Error('the database is away');
        return Reflect.get(target, name, target);
      },
    });
    const onReloadFailed = () => {
      failures += 1;
    };
    const others = await ResellerHosts.open({ db, changes: storage.changes, clock, onReloadFailed });
    isAway = true;
    await apply(good.replace('name: Pelican', 'name: Crane'));
    while (failures === 0) await new Promise((done) => setImmediate(done));
    isAway = false;
    await clock.advance(5000);
    while (others.find('ai.pelican.test')?.name !== 'Crane') await new Promise((done) => setImmediate(done));
    await others.close();
  });

  test('leaves a portal alone that somebody made otherwise', async () => {
    await apply(good);
    const [acme] = await listOrganisations(everybody, storage.db);
    await storage.db
      .insert(resellerHosts)
      .values({ host: 'own.test', name: 'Own', organisationId: acme?.id ?? 0 });
    await apply('{}');
    expect(hosts.find('own.test')?.name).toBe('Own');
  });
});
