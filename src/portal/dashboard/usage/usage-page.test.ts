/** Usage: the same figures on the page, as JSON and as CSV, of whoever the reader may see, by everything there is. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { TestDatabase } from '../../../../test/support/databases.ts';
import { onlyOf } from '../../../base/scope.ts';
import { setAdminView, type User } from '../../../identity/index.ts';
import { createOrganisation } from '../../../identity/organisations.ts';
import { newDepartment } from '../../../identity/testing/new-department.ts';
import { users } from '../../../storage/schema/identity.ts';
import { sessions } from '../../../storage/schema/sign-in.ts';
import type { UsageRecord } from '../../../usage/index.ts';
import { insertUsage, requestIdAt } from '../../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../../usage/testing/sample-record.ts';
import { foldUnsummed } from '../../../usage/unsummed.ts';
import { type TestPortal, withTestPortal } from '../../testing/test-portal.ts';
import { usageRoutes } from './usage.tsx';
import { groupings, metrics, planOf, requestsAt, usageQuery } from './usage-query.ts';

const page = '/dashboard/usage';
const api = '/dashboard/api/usage';
const dayMs = 86_400_000;
const result = z
  .object({ total: z.object({ requests: z.number(), cost_usd: z.string() }).nullable() })
  .loose();

describe('usage', () => {
  let storage: TestDatabase;
  let portal: TestPortal;
  let own: { user: User; cookie: string };
  let orgAdmin: { user: User; cookie: string };
  let departmentAdmin: { user: User; cookie: string };
  let platformAdmin: { user: User; cookie: string };

  withTestPortal(async (opened) => {
    ({ storage, portal } = opened);
    portal.setNowMs(Date.UTC(2031, 2, 20, 15, 30));
    own = await portal.signedIn();
    orgAdmin = await portal.signedIn({ role: 'org_admin' });
    departmentAdmin = await portal.signedIn({ role: 'department_admin' });
    platformAdmin = await portal.signedIn({ role: 'platform_admin' });
    const organisation = await portal.write(createOrganisation, { name: 'Mill' });
    const department = await portal.write(newDepartment, organisation.id, 'Wheel');
    const ofMill = { organisationId: organisation.id, departmentId: department.id };
    await storage.db.update(users).set(ofMill).where(eq(users.id, own.user.id));
    await storage.db.update(users).set(ofMill).where(eq(users.id, departmentAdmin.user.id));
    const atTop = { organisationId: organisation.id, departmentId: null };
    await storage.db.update(users).set(atTop).where(eq(users.id, orgAdmin.user.id));
    for (const person of [orgAdmin, departmentAdmin, platformAdmin]) {
      const [session] = await storage.db.select().from(sessions).where(eq(sessions.userId, person.user.id));
      await portal.write(setAdminView, session?.id ?? 0, { adminMode: true, organisationId: null });
    }
    const records: UsageRecord[] = [];
    const add = (daysAgo: number, change: Partial<UsageRecord>) => {
      const startedAt = new Date(portal.nowMs() - daysAgo * dayMs - 60_000);
      const requestId = requestIdAt(startedAt);
      const people = { userId: own.user.id, payerId: own.user.id, keyId: 7 };
      records.push(sampleRecord('', { requestId, startedAt, ...people, ...ofMill, ...change }));
    };
    const million = 1_000_000n;
    add(0, {
      model: 'atlas',
      costNanoUsd: 3n * million,
      inputTokens: 60,
      cacheReadTokens: 40,
      outputTokens: 10,
    });
    add(1, {
      model: 'atlas',
      costNanoUsd: 2n * million,
      status: 502,
      errorCode: 'upstream_failed',
      outcome: 'upstream_failed',
    });
    add(1, {
      model: 'borea',
      costNanoUsd: 1n * million,
      labels: { sessionId: null, endUser: 'anna', tags: ['live', '=cmd'] },
    });
    add(35, { model: 'atlas', costNanoUsd: 3n * million });
    add(2, { model: 'atlas', costNanoUsd: 10n * million, userId: orgAdmin.user.id, departmentId: null });
    add(2, {
      model: 'atlas',
      costNanoUsd: 100n * million,
      userId: platformAdmin.user.id,
      organisationId: null,
      departmentId: null,
    });
    await insertUsage(storage.db, records);
  });

  const told = async (query: string, { cookie } = own) => {
    const { status, text } = await portal.ask(`${api}${query}`, { headers: { cookie } });
    return { status, json: JSON.parse(text) };
  };

  test('is told in full, as its description says', async () => {
    const { status, json } = await told('');
    expect(status).toBe(200);
    expect(usageRoutes.find(({ path }) => path === api)?.result?.parse(json)).toEqual(json);
    expect(json).toMatchObject({
      ...{ metric: 'spend', by: 'model', every: 'day', time_zone: 'UTC', has_more: false },
      ...{ from: '2031-02-19T00:00:00.000Z', to: '2031-03-20T15:30:00.000Z' },
      total: { requests: 3, errors: 1, cost_usd: '0.006', cache_read_tokens: 40 },
      before: { requests: 1, cost_usd: '0.003' },
      groups: [
        { group: 'atlas', name: 'atlas', requests: 2, cost_usd: '0.005' },
        { group: 'borea', requests: 1, cost_usd: '0.001' },
      ],
      buckets: [
        { at: '2031-03-19T00:00:00.000Z', requests: 2 },
        { at: '2031-03-20T00:00:00.000Z', requests: 1 },
      ],
    });
  });

  test('is of whoever the reader may see', async () => {
    const spent = async (person: { user: User; cookie: string }) =>
      result.parse((await told('?by=none', person)).json).total?.cost_usd;
    expect(await spent(own)).toBe('0.006');
    expect(await spent(departmentAdmin)).toBe('0.006');
    expect(await spent(orgAdmin)).toBe('0.016');
    expect(await spent(platformAdmin)).toBe('0.116');
  });

  test('offers filters by name, of what was used in the time that is shown and the reader may see', async () => {
    const html = async (query: string, { cookie } = own) =>
      (await portal.ask(`${page}${query}`, { headers: { accept: 'text/html', cookie } })).text;
    const offered = async (query: string, person = own) =>
      [...(await html(query, person)).matchAll(/<select[^>]* name="(\w+)"/g)].map(([, name]) => name);
    while ((await foldUnsummed(storage.db, 100)).hasMore);
    // One key alone, and nobody else: there is nothing to choose.
    expect(await offered('')).toEqual([]);
    expect(await offered('', orgAdmin)).toEqual(['person']);
    expect(await html('', orgAdmin)).toContain(`<option value="${own.user.id}">${own.user.email}</option>`);
    expect(await html('', orgAdmin)).not.toContain(platformAdmin.user.email);
    expect(await html(`?person=${own.user.id}`, orgAdmin)).toContain(
      `<option value="${own.user.id}" selected="">`,
    );
    expect(await offered('?range=today', orgAdmin)).toEqual([]);
  });

  describe('narrowed', () => {
    test.each([
      ['?model=borea', 1],
      ['?status=502', 1],
      ['?tag=live', 1],
      ['?end_user=anna', 1],
      ['?key=7', 3],
      ['?key=8', null],
      ['?range=today', 1],
      ['?range=90d', 4],
      ['?from=2031-02-13&to=2031-02-13', 1],
      ['?every=week', 3],
      ['?every=month&range=90d', 4],
      ['?every=hour&range=7d&by=none', 3],
      ['?model=&tag=&from=&every=&by=', 3],
    ])('by %s has %p requests', async (query, requests) => {
      const { status, json } = await told(query);
      expect([status, result.parse(json).total?.requests ?? null]).toEqual([200, requests]);
    });
  });

  describe('is drawn', () => {
    const asked = metrics.flatMap((metric) =>
      groupings.filter((by) => by !== 'kind' || metric === 'tokens').map((by) => ({ metric, by })),
    );
    test.each(asked)('$metric by $by', async ({ metric, by }) => {
      const headers = { accept: 'text/html', cookie: platformAdmin.cookie };
      const { status, text } = await portal.ask(`${page}?metric=${metric}&by=${by}`, { headers });
      expect(status).toBe(200);
      expect(text).toContain('class="chart"');
      expect(text).not.toMatch(/undefined|\[object|NaN/);
    });
  });

  test('leaves hours behind when a filter is chosen, for not everything has them, and keeps other steps', async () => {
    const formAt = async (query: string) => {
      const { text } = await portal.ask(`${page}${query}`, {
        headers: { accept: 'text/html', cookie: orgAdmin.cookie },
      });
      return text.split('<form').find((form) => form.includes('name="model"'));
    };
    const hourly = await formAt('?range=7d&every=hour&by=none');
    expect(hourly).toContain('name="range" value="7d"');
    expect(hourly).not.toContain('name="every"');
    expect(await formAt('?range=7d&every=day&by=none')).toContain('name="every" value="day"');
  });

  test('opens the requests that a figure was made from', async () => {
    const { text } = await portal.ask(page, { headers: { accept: 'text/html', cookie: own.cookie } });
    const [, href = ''] = /href="(\/dashboard\/request-log\?model=atlas[^"]*)"/.exec(text) ?? [];
    const log = await portal.ask(href.replaceAll('&amp;', '&'), {
      headers: { accept: 'text/html', cookie: own.cookie },
    });
    expect(new Set(log.text.match(/\/dashboard\/request-log\/[0-9a-f-]{36}(?=[?"])/g))).toHaveProperty(
      'size',
      2,
    );
  });

  test('is a CSV of its steps and groups, in which nothing is a formula', async () => {
    const { answer, text } = await portal.ask(`${page}/export?by=tag`, { headers: { cookie: own.cookie } });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toStartWith('from,group,name,requests,');
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 4).join())).toEqual(
      expect.arrayContaining([
        "2031-03-19T00:00:00.000Z,'=cmd,'=cmd,1",
        '2031-03-19T00:00:00.000Z,live,live,1',
      ]),
    );
  });

  describe('with more groups than have lines of their own in the CSV', () => {
    let cookie: string;
    beforeAll(async () => {
      const person = await portal.signedIn();
      cookie = person.cookie;
      const startedAt = new Date(portal.nowMs() - 3_600_000);
      const people = { userId: person.user.id, payerId: person.user.id };
      const records = Array.from({ length: 503 }, (_, index) =>
        sampleRecord('', {
          ...{ requestId: requestIdAt(startedAt), startedAt, ...people },
          costNanoUsd: BigInt(1000 + index),
          model: `model-${index}`,
          labels: { sessionId: null, endUser: `user-${index}`, tags: [`tag-${index}`] },
        }),
      );
      await insertUsage(storage.db, records);
    });

    async function exported(query: string, as = cookie): Promise<string[][]> {
      const { text } = await portal.ask(`${page}/export?${query}`, { headers: { cookie: as } });
      const lines = text.trimEnd().split('\r\n').slice(1);
      return lines.map((line) => line.split(','));
    }

    test('adds up', async () => {
      const lines = await exported('by=model&range=7d');
      expect(lines).toHaveLength(501);
      // The three that cost least.
      expect(lines.at(-1)?.slice(0, 4)).toEqual(['2031-03-20T00:00:00.000Z', '', 'Others', '3']);
      expect(lines.at(-1)).toContain('0.000003003');
    });

    test('says that there are other tags, which add up to nothing', async () => {
      const lines = await exported('by=tag&range=7d');
      expect(lines).toHaveLength(501);
      expect(lines.at(-1)?.join()).toBe(`,,Others${','.repeat(13)}`);
    });

    test('takes none of whom a long span leaves out for one without a name', async () => {
      const person = await portal.signedIn();
      const startedAt = new Date(portal.nowMs() - 3_600_000);
      const people = { userId: person.user.id, payerId: person.user.id };
      const records = Array.from({ length: 30 }, (_, index) =>
        sampleRecord('', {
          ...{ requestId: requestIdAt(startedAt), startedAt, ...people },
          labels: { sessionId: null, endUser: `user-${index}`, tags: [] },
        }),
      );
      await insertUsage(storage.db, records);
      const span = 'by=end_user&every=day&from=2028-08-01&to=2031-03-20';
      const lines = await exported(span, person.cookie);
      // A report of so many days has room for twenty groups.
      expect(lines.at(-1)?.slice(1, 4)).toEqual(['', 'Others', '10']);
    });
  });

  test('has a line in the CSV for what names no end user, where others do', async () => {
    const { answer, text } = await portal.ask(`${page}/export?by=end_user`, {
      headers: { cookie: own.cookie },
    });
    expect(answer.status).toBe(200);
    const lines = text.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',').slice(0, 4).join())).toEqual([
      '2031-03-19T00:00:00.000Z,anna,anna,1',
      '2031-03-19T00:00:00.000Z,,none,1',
      '2031-03-20T00:00:00.000Z,,none,1',
    ]);
  });

  test('is told of a key below zero by what it is, which can be chosen', async () => {
    const { user, cookie } = await portal.signedIn();
    const startedAt = new Date(portal.nowMs() - 3_600_000);
    const tried = { userId: user.id, payerId: user.id, keyId: -user.id };
    await insertUsage(storage.db, [
      sampleRecord('', { requestId: requestIdAt(startedAt), startedAt, ...tried }),
    ]);
    const { json } = await told('?by=key', { user, cookie });
    expect(json.groups).toMatchObject([{ group: String(-user.id), name: 'portal', requests: 1 }]);
    const narrowed = await told(`?key=-${user.id}`, { user, cookie });
    expect(narrowed.json.total).toMatchObject({ requests: 1 });
    const html = { headers: { accept: 'text/html', cookie } };
    const log = await portal.ask(`/dashboard/request-log?key=-${user.id}`, html);
    expect(log.status).toBe(200);
    expect(log.text).toContain('<code>portal</code>');
  });

  test.each([
    ['by=end_user', 'Without an end user: $0.005000 (83.3%).'],
    ['by=tag', 'At least $0.004000 (66.7%) has no tag.'],
    ['by=tag&model=atlas', 'No request in this time has a tag.'],
  ])('says in words what no tag or end user tells apart (%s)', async (query, sentence) => {
    const { cookie } = own;
    const asked = await portal.ask(`${page}?${query}`, { headers: { accept: 'text/html', cookie } });
    expect(asked.text.match(/<p class="quiet(?: small)?">[^<]*(?:tag|end user)[^<]*/g)).toEqual([
      expect.stringContaining(sentence),
    ]);
  });

  test('says where nobody asked anything, and goes on to a longer time', async () => {
    const newcomer = await portal.signedIn();
    const { status, text } = await portal.ask(page, {
      headers: { accept: 'text/html', cookie: newcomer.cookie },
    });
    expect(status).toBe(200);
    expect(text).toContain(`href="${page}?range=365d"`);
  });

  test('and the log can be asked of an end user and a session as long as they are kept', async () => {
    const longest = 'x'.repeat(256);
    for (const path of [`${page}?end_user=${longest}`, `/dashboard/request-log?session=${longest}`]) {
      expect((await portal.ask(path, { headers: { cookie: own.cookie } })).status).toBe(200);
    }
  });

  test('asks who is not signed in to sign in', async () => {
    for (const path of [page, `${page}/export`, api]) {
      expect((await portal.ask(path)).status).toBe(401);
      expect((await portal.ask(path, { headers: { accept: 'text/html' } })).location).toStartWith(
        '/login?next=',
      );
    }
  });

  describe('refuses', () => {
    test.each([
      ['?by=kind', 'by'],
      ['?by=tag&end_user=anna', 'by'],
      ['?by=tag&every=hour', 'every'],
      ['?every=hour&range=90d', 'every'],
      ['?from=2031-03-02&to=2031-03-01', 'from'],
      ['?from=2032-01-01', 'from'],
      ['?from=2032-01-01&to=2032-01-05', 'from'],
      ['?from=2020-01-01', 'from'],
      ['?metric=money', 'metric'],
      ['?key=x', 'key'],
      ['?status=9000', 'status'],
    ])('%s by its field %s', async (query, field) => {
      const { status, json } = await told(query);
      expect([status, json]).toMatchObject([422, { ok: false, fields: { [field]: expect.any(String) } }]);
    });

    const fields = [
      'metric',
      'by',
      'every',
      'range',
      'from',
      'to',
      'model',
      'provider',
      'key',
      'person',
      'organisation',
      'department',
      'project',
      'tag',
      'end_user',
      'status',
    ];
    const hostile = [
      "' OR 1=1 --",
      'x'.repeat(10_000),
      '\0',
      '-1',
      '1e400',
      '\u{202E}\u{1F600}',
      '0000-01-01',
      '0001-01-01',
      '9999-12-31',
      '99999999999999999999',
      '<script>alert(1)</script>',
      '__proto__',
    ];
    test.each(fields)('what %s cannot be, and fails for nothing', async (field) => {
      for (const value of hostile) {
        const { status } = await told(`?${new URLSearchParams({ [field]: value })}`);
        expect([value.slice(0, 40), [200, 422].includes(status)]).toEqual([value.slice(0, 40), true]);
      }
    });
  });
});

describe('a plan', () => {
  const nowMs = Date.UTC(2031, 2, 20, 9, 20);
  const plan = (asked: object, now = nowMs) => planOf(usageQuery.parse(asked), onlyOf(1), now);

  test.each([
    // There are sums of a person's hours, and of their models those of days alone.
    ['30d', '2031-02-18T09:00:00.000Z', '2031-02-18T00:00:00.000Z'],
    ['7d', '2031-03-13T09:00:00.000Z', null],
    ['today', null, null],
  ] as const)(
    'of %s is compared with as long a span, where there are sums of one',
    (range, end, ofGroups) => {
      const { before, groupsBefore } = plan({ range });
      expect(before?.to.toISOString() ?? null).toBe(end);
      expect(groupsBefore?.to.toISOString() ?? null).toBe(ofGroups);
    },
  );

  test('of whole days is compared whole, and of a later hour to the nearest one', () => {
    const whole = plan({ from: '2031-03-10', to: '2031-03-10' });
    expect(whole.groupsBefore).toEqual({ from: new Date('2031-03-09'), to: new Date('2031-03-10') });
    const late = plan({ range: 'today' }, Date.UTC(2031, 2, 20, 15, 40));
    expect(late.before?.to).toEqual(new Date('2031-03-19T16:00:00.000Z'));
  });

  test('has a last step that is not over yet where its span is not', () => {
    const isOver = (asked: object) => plan(asked).isOver;
    expect(isOver({ from: '2031-01-01', to: '2031-03-19' })).toBe(true);
    expect(isOver({ from: '2031-01-01', to: '2031-03-20' })).toBe(false);
    expect(isOver({ range: '7d' })).toBe(false);
  });

  test('opens the requests of one status, where its figure is of errors', () => {
    const query = usageQuery.parse({ metric: 'errors', by: 'status' });
    const at = (group?: string) => requestsAt(query, planOf(query, onlyOf(1), nowMs), group);
    expect(at('429')).toContain('status=429');
    expect(at()).toContain('status=failed');
  });
});
