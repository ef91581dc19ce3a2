import { describe, expect, test } from 'bun:test';
import type { TestDatabase } from '../../../../test/support/databases.ts';
import { within } from '../../../../test/support/writing.ts';
import { onlyOf } from '../../../base/scope.ts';
import { noUsage } from '../../../base/token-usage.ts';
import { type ModelDeclaration, upsertModels, upsertProviders } from '../../../catalogue/index.ts';
import { createKey } from '../../../identity/index.ts';
import { createOrganisation } from '../../../identity/organisations.ts';
import { newDepartment } from '../../../identity/testing/new-department.ts';
import { insertUsage, requestIdAt } from '../../../usage/testing/insert-usage.ts';
import { noUnits } from '../../../usage/testing/no-units.ts';
import { languages } from '../../languages/language.ts';
import { type TestPortal, withTestPortal } from '../../testing/test-portal.ts';

const html = { accept: 'text/html' };
let storage: TestDatabase;
let portal: TestPortal;
let cookie: string;
let userId: number;

const model = (id: string, change: Partial<ModelDeclaration> = {}): ModelDeclaration => ({
  ...{ id, type: 'chat', ownedBy: 'somebody', aliases: [], contextWindow: 128_000, maxOutputTokens: 8_000 },
  ...{ capabilities: ['tools'], prices: { input: 1_000_000_000n, output: 4_000_000_000n } },
  ...{ deployments: [{ provider: 'main', upstreamId: id }], displayOrder: 1 },
  ...change,
});

withTestPortal(async (opened) => {
  ({ storage, portal } = opened);
  const provider = { kind: 'openai', baseUrl: null, timeoutsMs: {}, credentials: [] };
  await portal.write((work) =>
    upsertProviders({ ...work, envelope: portal.services.envelope }, null, [
      { name: 'main', region: 'eu', ...provider },
      { name: 'other', region: 'us', ...provider },
    ]),
  );
  await portal.write((work) =>
    upsertModels(work, null, [
      model('maker/cheap', { prices: { input: 100_000_000n, output: 400_000_000n }, aliases: ['thrifty'] }),
      model('dear', {
        contextWindow: 1_000_000,
        capabilities: ['vision'],
        prices: { input: 9_000_000_000n, output: 1n },
        deployments: [{ provider: 'other', upstreamId: 'dear' }],
      }),
      model('embeds', { type: 'embedding', contextWindow: null }),
      model('unpriced', { prices: null }),
      model('<b>odd</b>"'),
    ]),
  );
  await portal.catalogue.reload();
  const person = await portal.signedIn();
  cookie = person.cookie;
  userId = person.user.id;
  await insertUsage(
    storage.db,
    Array.from({ length: 20 }, (_, index) => {
      const startedAt = new Date(portal.nowMs() - index * 60_000);
      const isBad = index < 2;
      return {
        ...{ ...noUsage, ...noUnits, requestId: requestIdAt(startedAt), startedAt },
        ...{ keyId: 1, userId: userId + 1000, payerId: userId + 1000 },
        ...{ organisationId: null, departmentId: null, projectId: null, endpoint: '/v1/chat/completions' },
        ...{ model: 'dear', provider: 'other', upstreamModel: 'dear', streamed: true },
        ...{
          status: isBad ? 502 : 200,
          outcome: isBad ? ('upstream_failed' as const) : ('complete' as const),
        },
        errorCode: isBad ? 'upstream_failed' : null,
        attempts: [],
        ...{ outputTokens: 100, estimated: false, priceVersionId: null, exempt: false },
        ...{ costNanoUsd: 1n, chargedNanoUsd: 1n, durationMs: 1_500, firstByteMs: 500, overheadMs: 1 },
      };
    }),
  );
});

const look = (query: string) =>
  portal.ask(`/dashboard/models${query}`, { headers: { ...html, cookie, 'accept-language': 'en' } });

/** The names in the table, in its order. */
async function listed(query: string): Promise<readonly string[]> {
  const { status, text } = await look(query);
  expect(status).toBe(200);
  return [...text.matchAll(/name="compare" value="([^"]*)"/g)].map(([, name]) => name ?? '');
}

describe('the list of models', () => {
  test.each([
    ['', ['&lt;b&gt;odd&lt;/b&gt;&quot;', 'dear', 'embeds', 'maker/cheap']],
    ['?q=thrifty', ['maker/cheap']],
    ['?type=embedding', ['embeds']],
    ['?capability=vision', ['dear']],
    ['?provider=other', ['dear']],
    ['?price=0.5', ['maker/cheap']],
    ['?context=200000', ['dear']],
    ['?price=0.5&provider=other', []],
    ['?sort=-input&type=chat', ['dear', '&lt;b&gt;odd&lt;/b&gt;&quot;', 'maker/cheap']],
    ['?sort=first&q=som&type=chat', ['dear', '&lt;b&gt;odd&lt;/b&gt;&quot;', 'maker/cheap']],
    ['?page=99', []],
  ])('of %s', async (query, names) => {
    expect(await listed(query)).toEqual(names);
  });

  test('of odd fields is that without them', async () => {
    const all = await listed('');
    const odd = [
      'type=x',
      'capability=%27',
      'provider=%00',
      'price=-1',
      'context=1e9',
      'key=0',
      'sort=%3Cb%3E',
      'sort=__proto__',
      'sort=-valueOf',
    ];
    for (const field of [...odd, 'page=-1', 'page=x', 'compare=nobody']) {
      expect([field, await listed(`?${field}`)]).toEqual([field, all]);
    }
    expect((await look(`?q=${'x'.repeat(201)}`)).status).toBe(422);
    const { text } = await look('?q=%3Cscript%3Ealert(1)%3C/script%3E');
    expect(text).not.toContain('<script>alert');
  });

  test('narrows to what one of one’s own keys may ask for, and not to those of others', async () => {
    const locked = await portal.write(within(onlyOf(userId), createKey), 'sluice_', {
      ...{ ownerId: userId, name: 'locked', allowedRegions: ['us'] },
    });
    expect(await listed(`?key=${locked.key.id}`)).toEqual(['dear']);
    // What is demanded of providers leaves out whoever is not known to keep it: here all of them.
    const demanding = await portal.write(within(onlyOf(userId), createKey), 'sluice_', {
      ...{ ownerId: userId, name: 'private', dataPolicy: { zdr: true } },
    });
    expect(await listed(`?key=${demanding.key.id}`)).toEqual([]);
    const other = await portal.signedIn();
    const foreign = await portal.write(within(onlyOf(other.user.id), createKey), 'sluice_', {
      ...{ ownerId: other.user.id, name: 'foreign', allowedModels: [] },
    });
    expect(await listed(`?key=${foreign.key.id}`)).toHaveLength(4);
  });

  test('tells how models did, and nothing of one that hardly anybody asked', async () => {
    const { text } = await look('');
    expect(text).toContain('90.0%');
    expect(text).toMatch(/5\d\d ms|4\d\d ms/);
    expect(text.match(/90\.0%/g)).toHaveLength(1);
  });

  test('compares up to four beside each other', async () => {
    const { text } = await look('?compare=dear&compare=maker/cheap&compare=dear&compare=foreign');
    const table = text.slice(text.indexOf('class="comparison"'), text.indexOf('</table>'));
    expect(table).toContain('href="/dashboard/models/maker/cheap"');
    expect(table).toContain('90.0%');
    expect(table.match(/<th scope="col">/g)).toHaveLength(3);
  });
});

describe('a model', () => {
  test('has its prices, providers and requests to copy, in every language', async () => {
    for (const language of languages) {
      const { status, text } = await portal.ask('/dashboard/models/maker/cheap', {
        headers: { ...html, cookie, 'accept-language': language },
      });
      expect(status).toBe(200);
      const month = 'href="/dashboard/request-log?range=month&amp;model=maker%2Fcheap"';
      for (const part of ['http://sluice.test/v1/chat/completions', 'thrifty', '>main<', month]) {
        expect(text).toContain(part);
      }
    }
  });

  test('is found by its other name, and one that is not there leads to a search', async () => {
    expect((await look('/thrifty')).location).toBe('/dashboard/models/maker/cheap');
    expect((await look('/unpriced')).location).toBe('/dashboard/models?q=unpriced');
    expect((await look('/..%2F..%2Fetc')).location).toStartWith('/dashboard/models?q=');
    expect((await look(`/${'x'.repeat(201)}`)).status).toBe(422);
    const odd = await look(`/${encodeURIComponent('<b>odd</b>"')}`);
    expect(odd.status).toBe(200);
    expect(odd.text).not.toContain('<b>odd');
  });
});

test.each(['/dashboard/models', '/dashboard/models/dear', '/dashboard/guide', '/dashboard/search?q=dear'])(
  '401 for %s without a session',
  async (path) => {
    expect((await portal.ask(path)).status).toBe(401);
  },
);

describe('the guide', () => {
  test('has the reader’s address, key and a model that the key may use, in every language', async () => {
    const person = await portal.signedIn();
    const { key } = await portal.write(within(onlyOf(person.user.id), createKey), 'sluice_', {
      ...{ ownerId: person.user.id, name: 'mine & <b>', allowedModels: ['dear'] },
    });
    for (const language of languages) {
      const { status, text } = await portal.ask('/dashboard/guide', {
        headers: { ...html, cookie: person.cookie, 'accept-language': language },
      });
      expect(status).toBe(200);
      const parts = [`${key.tokenPrefix}…${key.tokenLastFour}`, 'mine &amp; &lt;b&gt;', 'id="streaming"'];
      for (const part of [
        ...parts,
        '&quot;model&quot;: &quot;dear&quot;',
        'http://sluice.test/v1/responses',
      ]) {
        expect(text).toContain(part);
      }
      expect(text).not.toContain('maker/cheap');
    }
  });

  test('says how to make a key to who has none', async () => {
    const { text } = await portal.ask('/dashboard/guide', {
      headers: { ...html, cookie: (await portal.signedIn()).cookie },
    });
    expect(text).toContain('You have no key that works now.');
  });
});

describe('the search', () => {
  const search = async (q: string, as = cookie) => {
    const { status, text } = await portal.ask(`/dashboard/search?${new URLSearchParams({ q })}`, {
      headers: { cookie: as },
    });
    expect(status).toBe(200);
    const { found }: { found: { kind: string; label: string; href: string }[] } = JSON.parse(text);
    return found.map(({ kind, label }) => `${kind} ${label}`);
  };

  test('finds models, own keys and own requests, and nothing of others', async () => {
    const person = await portal.signedIn();
    const other = await portal.signedIn();
    for (const { user } of [person, other]) {
      await portal.write(within(onlyOf(user.id), createKey), 'sluice_', {
        ...{ ownerId: user.id, name: `dearest ${user.id}` },
      });
    }
    expect(await search('dear', person.cookie)).toEqual(['model dear', `key dearest ${person.user.id}`]);
    expect(await search(other.user.email, person.cookie)).toEqual([]);
    const startedAt = new Date(portal.nowMs());
    const requestId = requestIdAt(startedAt);
    await insertUsage(storage.db, [
      {
        ...{ ...noUsage, ...noUnits, requestId, startedAt, keyId: 1, userId: person.user.id },
        ...{ payerId: person.user.id, organisationId: null, departmentId: null, projectId: null },
        ...{ endpoint: '/v1/chat/completions', model: 'dear', provider: 'other', upstreamModel: 'dear' },
        ...{ streamed: false, status: 200, outcome: 'complete', errorCode: null, attempts: [] },
        ...{ estimated: false, priceVersionId: null, exempt: false, costNanoUsd: 0n, chargedNanoUsd: 0n },
        ...{ durationMs: 1, firstByteMs: null, overheadMs: 1 },
      },
    ]);
    expect(await search(requestId, person.cookie)).toEqual([`request ${requestId}`]);
    expect(await search(requestId.toUpperCase(), person.cookie)).toEqual([`request ${requestId}`]);
    expect(await search(requestId, other.cookie)).toEqual([]);
  });

  test('finds organisations for who reaches all, in admin mode alone', async () => {
    const { id } = await portal.write(createOrganisation, { name: 'Quarry 100%_', slug: 'quarry' });
    await portal.write(newDepartment, id, 'Sales');
    const platform = await portal.signedIn({ role: 'platform_admin' });
    expect(await search('quarry', platform.cookie)).toEqual([]);
    await portal.sendForm('/dashboard/toggle-admin-mode', {}, { cookie: platform.cookie });
    expect(await search('QUARRY', platform.cookie)).toEqual(['organisation Quarry 100%_']);
    expect(await search('0%_', platform.cookie)).toEqual(['organisation Quarry 100%_']);
    expect(await search('%r%', platform.cookie)).toEqual([]);
    const admin = await portal.signedIn({ role: 'org_admin' });
    await portal.sendForm('/dashboard/toggle-admin-mode', {}, { cookie: admin.cookie });
    expect(await search('quarry', admin.cookie)).toEqual([]);
  });

  test('takes whatever somebody types', async () => {
    for (const q of ['', ' ', 'x', "' OR 1=1 --", '%', '\\', '<script>', '💥💥', 'é'.repeat(100), '..%2f']) {
      expect(await search(q)).toEqual([]);
    }
    const long = await portal.ask(`/dashboard/search?q=${'x'.repeat(101)}`, { headers: { cookie } });
    expect(long.status).toBe(422);
    const zero = await portal.ask('/dashboard/search?q=a%00b', { headers: { cookie } });
    expect(zero.status).toBe(200);
  });
});
