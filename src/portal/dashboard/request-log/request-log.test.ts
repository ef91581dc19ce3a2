/** The request log: whose requests it shows, what each filter keeps, its pages, a request by itself, and the CSV. */
import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../../test/support/databases.ts';
import { within } from '../../../../test/support/writing.ts';
import { everybody } from '../../../base/scope.ts';
import { createKey, setAdminView, type User } from '../../../identity/index.ts';
import { createOrganisation } from '../../../identity/organisations.ts';
import { newDepartment } from '../../../identity/testing/new-department.ts';
import { users } from '../../../storage/schema/identity.ts';
import { sessions } from '../../../storage/schema/sign-in.ts';
import { usageRatings } from '../../../storage/schema/usage.ts';
import type { UsageRecord } from '../../../usage/index.ts';
import { insertUsage, requestIdAt } from '../../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../../usage/testing/sample-record.ts';
import { type TestPortal, withTestPortal } from '../../testing/test-portal.ts';
import { speechIn } from '../../ui/speech.tsx';

const path = '/dashboard/request-log';
const html = { accept: 'text/html' };
const idPattern = /\/dashboard\/request-log\/([0-9a-f-]{36})/g;

/** The query of the first link that has this field last. */
const hrefOf = (text: string, field: string) =>
  text
    .match(new RegExp(`href="${path}(\\?(?:[^"]*&amp;)?${field}=[0-9a-f-]{36})"`))?.[1]
    ?.replaceAll('&amp;', '&') ?? null;

describe('the request log', () => {
  let storage: TestDatabase;
  let portal: TestPortal;
  let own: { user: User; cookie: string };
  let orgAdmin: { user: User; cookie: string };
  let departmentAdmin: { user: User; cookie: string };
  let platformAdmin: { user: User; cookie: string };
  let keyId: number;
  let ids: Record<'plain' | 'failed' | 'dear' | 'slow' | 'labelled' | 'colleague' | 'elsewhere', string>;
  const minutesAgo = (minutes: number) => new Date(portal.nowMs() - minutes * 60_000);

  async function store(minutes: number, change: Partial<UsageRecord>): Promise<string> {
    const startedAt = minutesAgo(minutes);
    const record = sampleRecord('', {
      ...{ requestId: requestIdAt(startedAt), startedAt, keyId, userId: own.user.id, payerId: own.user.id },
      ...{ model: 'atlas-4', inputTokens: 10, outputTokens: 5 },
      ...change,
    });
    await insertUsage(storage.db, [record]);
    return record.requestId;
  }

  async function asAdmin(person: { user: User; cookie: string }, adminMode: boolean): Promise<void> {
    const [session] = await storage.db.select().from(sessions).where(eq(sessions.userId, person.user.id));
    await portal.write(setAdminView, session?.id ?? 0, { adminMode, organisationId: null });
  }

  const listed = async (query: string, { cookie } = own) => {
    const { status, text } = await portal.ask(`${path}${query}`, { headers: { ...html, cookie } });
    return { status, text, ids: [...new Set([...text.matchAll(idPattern)].map(([, id]) => id ?? ''))] };
  };

  withTestPortal(async (opened) => {
    ({ storage, portal } = opened);
    const organisation = await portal.write(createOrganisation, { name: 'Mill' });
    const department = await portal.write(newDepartment, organisation.id, 'Wheel');
    const place = async (person: { user: User }, departmentId: number | null) => {
      const belongs = { organisationId: organisation.id, departmentId };
      await storage.db.update(users).set(belongs).where(eq(users.id, person.user.id));
    };
    own = await portal.signedIn();
    orgAdmin = await portal.signedIn({ role: 'org_admin' });
    departmentAdmin = await portal.signedIn({ role: 'department_admin' });
    platformAdmin = await portal.signedIn({ role: 'platform_admin' });
    await place(own, department.id);
    await place(orgAdmin, null);
    await place(departmentAdmin, department.id);
    const made = await portal.write(within(everybody, createKey), 'sluice_', {
      ownerId: own.user.id,
      name: 'mill-key',
    });
    keyId = made.key.id;
    const ofMill = { organisationId: organisation.id, departmentId: department.id };
    ids = {
      plain: await store(5, ofMill),
      failed: await store(4, {
        ...ofMill,
        status: 502,
        outcome: 'upstream_failed',
        errorCode: 'upstream_unreachable',
        provider: 'north',
      }),
      dear: await store(3, {
        ...ofMill,
        costNanoUsd: 2_000_000_000n,
        chargedNanoUsd: 2_000_000_000n,
        model: 'atlas-5',
      }),
      slow: await store(2, { ...ofMill, durationMs: 61_000 }),
      labelled: await store(1, {
        ...ofMill,
        labels: { sessionId: 'session-1', endUser: '=1+1', tags: ['team=a', 'live'] },
      }),
      colleague: await store(6, { ...ofMill, departmentId: null, userId: orgAdmin.user.id }),
      elsewhere: await store(7, { userId: platformAdmin.user.id }),
    };
  });

  test('shows people their own requests, the newest first', async () => {
    const { status, text, ids: found } = await listed('');
    expect(status).toBe(200);
    expect(found).toEqual([ids.labelled, ids.slow, ids.dear, ids.failed, ids.plain]);
    expect(text).toContain('mill-key');
    expect((await listed('', orgAdmin)).ids).toEqual([ids.colleague]);
  });

  test('shows admins what their role may see while they administer, and no more', async () => {
    const ofMill = [ids.labelled, ids.slow, ids.dear, ids.failed, ids.plain];
    await asAdmin(orgAdmin, true);
    await asAdmin(departmentAdmin, true);
    await asAdmin(platformAdmin, true);
    await asAdmin(own, true);
    expect((await listed('', own)).ids).toEqual(ofMill);
    expect((await listed('', departmentAdmin)).ids).toEqual(ofMill);
    expect((await listed('', orgAdmin)).ids).toEqual([...ofMill, ids.colleague]);
    expect((await listed('', platformAdmin)).ids).toEqual([...ofMill, ids.colleague, ids.elsewhere]);
    await asAdmin(orgAdmin, false);
    await asAdmin(own, false);
    expect((await listed('', orgAdmin)).ids).toEqual([ids.colleague]);
  });

  describe('a filter keeps what fits it', () => {
    const cases: readonly (readonly [query: string, kept: readonly (keyof typeof ids)[]])[] = [
      ['?status=failed', ['failed']],
      ['?status=5xx', ['failed']],
      ['?status=4xx', []],
      ['?status=502', ['failed']],
      ['?status=ok', ['labelled', 'slow', 'dear', 'plain']],
      ['?error=upstream_unreachable', ['failed']],
      ['?model=atlas-5', ['dear']],
      ['?provider=north', ['failed']],
      ['?session=session-1', ['labelled']],
      ['?tag=team%3Da', ['labelled']],
      ['?end_user=%3D1%2B1', ['labelled']],
      ['?min_cost=1.5', ['dear']],
      ['?min_cost=0.000000001', ['dear']],
      ['?min_seconds=60', ['slow']],
      ['?min_seconds=59,5', ['slow']],
      ['?key=999999', []],
      ['?person=999999', []],
      ['?model=&tag=&status=&min_cost=&key=&from=', ['labelled', 'slow', 'dear', 'failed', 'plain']],
      ['?from=2031-01-02', []],
      ['?to=2030-12-30', []],
      ['?from=2030-12-31&to=2030-12-31&model=atlas-5', ['dear']],
    ];
    test.each(cases.map(([query, kept]) => ({ query, kept })))('$query', async ({ query, kept }) => {
      const { status, ids: found } = await listed(query);
      expect(status).toBe(200);
      expect(found).toEqual(kept.map((name) => ids[name]));
    });

    test('the request id, whole or its beginning', async () => {
      expect((await listed(`?id=${ids.dear}`)).ids).toEqual([ids.dear]);
      expect((await listed(`?id=${ids.dear.slice(0, 20).toUpperCase()}`)).ids).toEqual([ids.dear]);
      expect((await listed(`?id=${ids.elsewhere}`)).ids).toEqual([]);
    });
  });

  test('keeps its range when more filters are typed', async () => {
    const [, form = ''] = (await listed('?range=all')).text.split('<form class="form log-more"');
    expect(form.split('</form>')[0]).toContain('<input type="hidden" name="range" value="all"');
  });

  test('leads on from an empty page to the request that it was reached by', async () => {
    const { text, ids: none } = await listed(`?status=failed&after=${ids.failed}`);
    expect(none).toEqual([]);
    expect((await listed(hrefOf(text, 'before') ?? '')).ids).toContain(ids.failed);
    const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    expect((await listed(`?after=${last}`)).status).toBe(200);
  });

  test('goes page by page, there and back, over each request once', async () => {
    const pager = await portal.signedIn();
    const many: string[] = [];
    for (let minute = 120; minute > 0; minute -= 1) many.push(await store(minute, { userId: pager.user.id }));
    const newest = many.toReversed();
    const first = await listed('', pager);
    const second = await listed(hrefOf(first.text, 'before') ?? '', pager);
    const third = await listed(hrefOf(second.text, 'before') ?? '', pager);
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(newest);
    expect(hrefOf(third.text, 'before')).toBeNull();
    const back = await listed(hrefOf(third.text, 'after') ?? '', pager);
    expect(back.ids).toEqual(second.ids);
    const start = await listed(hrefOf(back.text, 'after') ?? '', pager);
    expect(start.ids).toEqual(first.ids);
  });

  test('tells one request with lines that add up, and hides those of others', async () => {
    const asked = await portal.ask(`${path}/${ids.labelled}/json`, { headers: { cookie: own.cookie } });
    expect([asked.status, JSON.parse(asked.text)]).toMatchObject([
      200,
      { session_id: 'session-1', tags: ['team=a', 'live'] },
    ]);
    const shown = await portal.ask(`${path}/${ids.labelled}`, { headers: { ...html, cookie: own.cookie } });
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('session-1');
    const ofDays = await portal.ask(`${path}/${ids.labelled}?from=2030-01-01&to=2031-12-31`, {
      headers: { ...html, cookie: own.cookie },
    });
    expect(ofDays.text).toContain(`href="${path}?from=2030-01-01&amp;to=2031-12-31&amp;tag=live"`);
    for (const id of [ids.elsewhere, ids.colleague, 'no-id', '00000000-0000-0000-0000-000000000000', '%00']) {
      for (const [way, headers] of [
        ['', html],
        ['/json', {}],
      ] as const) {
        const refused = await portal.ask(`${path}/${id}${way}`, {
          headers: { ...headers, cookie: own.cookie },
        });
        expect([id, refused.status]).toEqual([id, 404]);
      }
    }
  });

  test('tells and finds a request by what it costs since it was rated anew', async () => {
    const other = await portal.signedIn();
    const nine = { costNanoUsd: 9_000_000_000n, chargedNanoUsd: 9_000_000_000n };
    const id = await store(3, { ...nine, userId: other.user.id, payerId: other.user.id });
    const dear = async () => (await listed('?min_cost=8.5', other)).ids;
    expect(await dear()).toContain(id);
    await storage.db.insert(usageRatings).values({
      ...{ requestId: id, priceVersionId: 1, costNanoUsd: 4_000_000_000n, chargedNanoUsd: 4_000_000_000n },
    });
    expect(await dear()).not.toContain(id);
    expect((await listed('?min_cost=3.5', other)).ids).toContain(id);
    const { text } = await listed(`/${id}`, other);
    expect(text).toMatch(/Rated anew [^<]+; it cost \$9\.00 before\./);
    expect((await listed(`/${ids.plain}`)).text).not.toContain('Rated anew');
  });

  test('asks who is not signed in to sign in', async () => {
    for (const way of ['', '/export', `/${ids.plain}`]) {
      const page = await portal.ask(`${path}${way}`, { headers: html });
      expect([page.status, page.location]).toEqual([
        303,
        `/login?next=${encodeURIComponent(`${path}${way}`)}`,
      ]);
      expect((await portal.ask(`${path}${way}`)).status).toBe(401);
    }
  });

  const fields = [
    ...['id', 'range', 'from', 'to', 'status', 'error', 'model', 'provider', 'key', 'person', 'department'],
    ...['project', 'session', 'tag', 'end_user', 'min_cost', 'min_seconds', 'before', 'after'],
  ];
  const hostile = [
    ...["' OR 1=1 --", 'x'.repeat(10_000), '\0', '-1', '1e400', '{"a":1}', '\u{202E}\u{1F600}'],
    ...[
      '0000-01-01',
      '0001-01-01',
      '9999-12-31',
      '99999999999999999999',
      '<script>alert(1)</script>',
      '__proto__',
    ],
  ];
  test.each(fields)('refuses what %s cannot be, and fails for nothing', async (field) => {
    for (const value of hostile) {
      const { status, text } = await listed(`?${new URLSearchParams({ [field]: value })}`);
      expect([value.slice(0, 40), [200, 422].includes(status)]).toEqual([value.slice(0, 40), true]);
      expect(text).not.toContain('<script>alert');
    }
  });

  test('tells a reader what of an address it does not know, and leads to the page without that', async () => {
    const { status, text } = await listed('?range=30d&min_cost=-3');
    expect(status).toBe(422);
    expect(text).toContain('<p>range: ');
    expect(text).toContain('<p>min_cost: ');
    expect(text).toContain(`href="${path}"`);
    expect(text).not.toContain('beside the field');
  });

  test('says in JSON which field is wrong', async () => {
    const { status, text } = await portal.ask(`${path}?min_cost=-3`, { headers: { cookie: own.cookie } });
    expect([status, JSON.parse(text)]).toMatchObject([
      422,
      { ok: false, code: 'validation_failed', fields: { min_cost: expect.any(String) } },
    ]);
  });

  describe('as CSV', () => {
    const exported = async (query: string, cookie = own.cookie) => {
      const { answer, text } = await portal.ask(`${path}/export${query}`, { headers: { cookie } });
      return { answer, lines: text.trimEnd().split('\r\n') };
    };

    test('has what is filtered, with nothing that a spreadsheet works out', async () => {
      const { answer, lines } = await exported('');
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe(
        'attachment; filename="requests-2031-01-01.csv"',
      );
      expect(lines.slice(1).map((line) => line.slice(0, 36))).toEqual([
        ids.labelled,
        ids.slow,
        ids.dear,
        ids.failed,
        ids.plain,
      ]);
      expect(lines[1]).toContain("'=1+1");
      expect((await exported('?status=failed')).lines).toHaveLength(2);
    });

    test('is made for two at a time of a person, and goes on once one has left', async () => {
      const ask = async () =>
        portal.app.request(`http://sluice.test${path}/export`, { headers: { cookie: own.cookie } });
      const [one, other] = [await ask(), await ask()];
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
      await one.body?.cancel();
      const next = await ask();
      expect(next.status).toBe(200);
      await Promise.all([other.text(), next.text()]);
      expect((await ask()).status).toBe(200);
    });
  });

  test('shows an open request amid those of its session, however many came later', async () => {
    const person = await portal.signedIn();
    const people = { userId: person.user.id, payerId: person.user.id };
    const ids: string[] = [];
    for (const minutes of Array.from({ length: 12 }, (_, index) => 40 - index)) {
      const labels = { sessionId: 'long', endUser: null, tags: [] };
      ids.push(await store(minutes, { ...people, labels }));
    }
    const around = async (place: number) => {
      const { text } = await listed(`/${ids[place] ?? ''}`, person);
      const list = /<ul class="log-session">.*?<\/ul>/s.exec(text)?.[0] ?? '';
      return [...list.matchAll(/request-log\/([0-9a-f-]{36})/g)].map(([, id]) => ids.indexOf(id ?? ''));
    };
    expect(await around(0)).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    expect(await around(6)).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
    expect(await around(11)).toEqual([11, 10, 9, 8, 7, 6, 5, 4]);
  });

  test('has bars of what is in the list, and none where sums of days would tell of more', async () => {
    const dayMs = 86_400_000;
    portal.setNowMs(portal.nowMs() - (portal.nowMs() % dayMs) + 0.6 * dayMs);
    const person = await portal.signedIn();
    await store(60, { userId: person.user.id });
    expect((await listed('?range=day', person)).text).toContain('1 request, 0 failed');
    // Of a person's models there are sums of days alone, and the list begins within one.
    expect((await listed('?range=day&model=atlas-4', person)).text).not.toContain('1 request, 0 failed');
    expect((await listed('?range=week&model=atlas-4', person)).text).toContain('1 request, 0 failed');
  });

  test('marks at the end of its bars the last day, where that is over', async () => {
    const person = await portal.signedIn();
    const dayOf = (daysAgo: number) =>
      new Date(portal.nowMs() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    await store(2 * 1440, { userId: person.user.id });
    const { shortDay } = speechIn('en').figures;
    for (const [daysAgo, mark] of [
      [1, shortDay(new Date(dayOf(1)))],
      [0, 'now'],
    ] as const) {
      const { text } = await listed(`?from=${dayOf(4)}&to=${dayOf(daysAgo)}`, person);
      const marks = /class="histogram".*?<figcaption[^>]*>(.*?)<\/figcaption>/.exec(text)?.[1] ?? '';
      expect(marks.replaceAll(/<[^>]*>/g, ' ').trim()).toEndWith(mark);
    }
  });

  test('counts in its bars as many requests as are in the list, from the beginning of the first day on', async () => {
    const person = await portal.signedIn();
    const minuteMs = 60_000;
    const dayMs = 1440 * minuteMs;
    const beginsMs = Math.floor((portal.nowMs() - 7 * dayMs) / dayMs) * dayMs;
    const at = async (atMs: number) =>
      await store((portal.nowMs() - atMs) / minuteMs, { userId: person.user.id });
    await at(beginsMs - minuteMs);
    const found = [await at(beginsMs + minuteMs), await at(portal.nowMs() - minuteMs)];
    const { text, ids: shown } = await listed('', person);
    expect(shown).toEqual(found.toReversed());
    expect(text).toContain('2 requests, 0 failed');
  });
});
