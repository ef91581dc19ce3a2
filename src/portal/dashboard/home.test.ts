import { beforeEach, describe, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { within } from '../../../test/support/writing.ts';
import { onlyOf } from '../../base/scope.ts';
import { noUsage } from '../../base/token-usage.ts';
import { type ModelDeclaration, upsertModels, upsertProviders } from '../../catalogue/index.ts';
import { createKey, type UserRole } from '../../identity/index.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { type BudgetSubject, setBudget } from '../../ledger/index.ts';
import { budgetWindows } from '../../storage/schema/budgets.ts';
import { organisations, users } from '../../storage/schema/identity.ts';
import { funds } from '../../storage/schema/ledger.ts';
import type { UsageRecord } from '../../usage/index.ts';
import { insertUsage, requestIdAt } from '../../usage/testing/insert-usage.ts';
import { noUnits } from '../../usage/testing/no-units.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const dayMs = 86_400_000;
const html = { accept: 'text/html' };

describe('the overview', () => {
  let storage: TestDatabase;
  let portal: TestPortal;
  let organisationId: number;
  withTestPortal(async (opened) => {
    ({ storage, portal } = opened);
    organisationId = (await portal.write(createOrganisation, { name: 'Analytical Engines' })).id;
  });
  beforeEach(() => portal.setNowMs(Date.UTC(2031, 5, 15, 12)));

  async function signedIn(role: UserRole = 'member', place: Partial<typeof users.$inferInsert> = {}) {
    const person = await portal.signedIn({ role });
    await storage.db
      .update(users)
      .set({ createdAt: new Date(portal.nowMs() - 90 * dayMs), ...place })
      .where(eq(users.id, person.user.id));
    return person;
  }

  const look = async (cookie: string, query = '') => {
    const page = await portal.ask(`/dashboard${query}`, { headers: { ...html, cookie } });
    expect(page.status).toBe(200);
    return page.text;
  };

  const deposit = (userId: number, amountNanoUsd: bigint) =>
    portal.write((work) =>
      portal.wallets.deposit(work, { userId, amountNanoUsd, businessKey: `home ${userId}` }),
    );

  function record(userId: number, daysAgo: number, change: Partial<UsageRecord> = {}): UsageRecord {
    const startedAt = new Date(portal.nowMs() - daysAgo * dayMs);
    return {
      ...{ ...noUsage, ...noUnits, requestId: requestIdAt(startedAt), startedAt },
      ...{ keyId: 1, userId, payerId: userId, organisationId: null, departmentId: null, projectId: null },
      ...{ endpoint: '/v1/chat/completions', model: 'atlas', provider: 'main', upstreamModel: 'atlas' },
      ...{ streamed: true, status: 200, outcome: 'complete', errorCode: null },
      attempts: [{ provider: 'main', credentialId: 1, status: 200, latencyMs: 1, errorCode: null }],
      ...{ inputTokens: 300, cacheReadTokens: 100, outputTokens: 100, estimated: false },
      ...{ priceVersionId: null, exempt: false },
      ...{ costNanoUsd: 1_000_000_000n, chargedNanoUsd: 1_000_000_000n },
      ...{ durationMs: 1_000, firstByteMs: 100, overheadMs: 1 },
      ...change,
    };
  }

  describe('figures', () => {
    test('are those of the period in the address, against the days before', async () => {
      const { user, cookie } = await signedIn();
      await insertUsage(storage.db, [
        record(user.id, 0),
        record(user.id, 3, { model: 'meridian', status: 502, outcome: 'upstream_failed', errorCode: 'x' }),
        record(user.id, 9),
        record(user.id, 20),
        record(user.id, 40),
      ]);
      const shown: Record<string, readonly string[]> = {
        '?days=1': ['>$1.00</a>', '>1</a>', '0 failed'],
        '?days=7': ['>$2.00</a>', '>2</a>', '1 failed', '>50.00%<', '100.0%', 'meridian'],
        '?days=30': ['>$4.00</a>', '>4</a>', '25% read from cache', '300.0%'],
      };
      for (const [query, parts] of Object.entries(shown)) {
        const text = await look(cookie, query);
        for (const part of parts) expect([query, text.includes(part), part]).toEqual([query, true, part]);
      }
      expect(await look(cookie, '?days=1')).not.toContain('meridian</span><span class="number">');
    });

    test('have all models beside the five dearest in one, however many there are', async () => {
      const { user, cookie } = await signedIn();
      const models = Array.from({ length: 60 }, (_, index) =>
        record(user.id, 1, { model: `m-${index}`, costNanoUsd: BigInt(60 - index) * 1_000_000_000n }),
      );
      await insertUsage(storage.db, models);
      // Behind the figures stand the latest requests, which may be of any of them.
      const [text = '', requests] = (await look(cookie, '?days=7')).split('id="requests"');
      expect(requests).toContain('m-');
      expect(text).toContain('m-4');
      expect(text).not.toContain('m-5<');
      // 60 · 61 / 2 in all, less the five from 60 down to 56.
      expect(text).toContain('$1,540.00');
    });

    test('of today are compared from that hour on at which that is telling', async () => {
      const { user, cookie } = await signedIn();
      portal.setNowMs(Date.UTC(2031, 5, 15, 0, 20));
      await insertUsage(storage.db, [record(user.id, 0), record(user.id, 0), record(user.id, 1)]);
      const early = await look(cookie, '?days=1');
      portal.setNowMs(Date.UTC(2031, 5, 15, 12));
      const late = await look(cookie, '?days=1');
      expect([early.includes('100.0%'), late.includes('100.0%')]).toEqual([false, true]);
    });

    test('of an odd period are those of thirty days', async () => {
      const { cookie } = await signedIn();
      for (const query of ['', '?days=0', '?days=-7', '?days=1e9', '?days=%00', '?days=7&days=1', '?days=']) {
        expect(await look(cookie, query)).toMatch(/href="\/dashboard\?days=(30|7)" aria-current="true"/);
      }
      const long = await portal.ask(`/dashboard?days=${'7'.repeat(21)}`, { headers: { cookie } });
      expect(long.status).toBe(422);
    });

    test('401 to a program and the sign-in to a browser without a session', async () => {
      expect((await portal.ask('/dashboard')).status).toBe(401);
      expect((await portal.ask('/dashboard', { headers: html })).location).toStartWith('/login');
    });
  });

  describe('the balance', () => {
    test('says how long it lasts at the rate of the last seven days, here and in the frame', async () => {
      const { user, cookie } = await signedIn();
      await deposit(user.id, 20_000_000_000n);
      await insertUsage(
        storage.db,
        Array.from({ length: 7 }, (_, index) => record(user.id, index * 0.9)),
      );
      const text = await look(cookie);
      expect(text).toContain('Lasts 20 days at $1.00 a day.');
      expect(text).toContain('>20 days</span>');
      expect(text).toContain('class="runway"');
    });

    test('of an organisation is not shown to those that it pays for', async () => {
      const payer = await signedIn('org_owner', { organisationId });
      await storage.db
        .update(organisations)
        .set({ billingUserId: payer.user.id })
        .where(eq(organisations.id, organisationId));
      await deposit(payer.user.id, 77_000_000_000n);
      const { cookie } = await signedIn('member', { organisationId });
      const text = await look(cookie);
      expect(text).toContain('Analytical Engines pays for your requests.');
      expect(text).not.toContain('$77.00');
      expect(text).not.toContain('class="balance"');
      expect(await look(payer.cookie)).toContain('$77.00');
    });

    test('is nobody’s to those whose organisation has somebody pay who is exempt', async () => {
      const payer = await signedIn('org_owner', { organisationId, billingExempt: true });
      await storage.db
        .update(organisations)
        .set({ billingUserId: payer.user.id })
        .where(eq(organisations.id, organisationId));
      const { cookie } = await signedIn('member', { organisationId });
      expect(await look(cookie)).not.toContain('pays for your requests');
    });

    test('of who pays for an organisation lasts by what all of it spends', async () => {
      const { user, cookie } = await signedIn('org_owner', { organisationId });
      const ofIt = eq(organisations.id, organisationId);
      await storage.db.update(organisations).set({ billingUserId: user.id }).where(ofIt);
      await deposit(user.id, 70_000_000_000n);
      const colleague = await signedIn('member', { organisationId });
      const spent = { ...record(colleague.user.id, 1), organisationId, payerId: user.id };
      await insertUsage(storage.db, [{ ...spent, chargedNanoUsd: 14_000_000_000n }]);
      expect(await look(cookie)).toContain('Lasts 35 days at $2.00 a day for all of Analytical Engines.');
    });
  });

  describe('what needs attention', () => {
    test('is quiet where there is nothing', async () => {
      const { user, cookie } = await signedIn();
      await deposit(user.id, 50_000_000_000n);
      expect(await look(cookie)).not.toContain('attention-title');
    });

    test('tells of a low balance with the year in which it is empty, and not where it lasts over a year', async () => {
      portal.setNowMs(Date.UTC(2031, 10, 15, 12));
      const { user, cookie } = await signedIn();
      await deposit(user.id, 1_000_000_000n);
      // With the first request, the last of the first steps, which say themselves that money is missing.
      await portal.write(within(onlyOf(user.id), createKey), 'sluice_', { ownerId: user.id, name: 'one' });
      const spend = (chargedNanoUsd: bigint) =>
        insertUsage(storage.db, [record(user.id, 1, { chargedNanoUsd })]);
      await spend(14_000_000n);
      expect(await look(cookie)).not.toContain('attention-title');
      portal.setNowMs(portal.nowMs() + 61_000);
      await spend(56_000_000n);
      const text = await look(cookie);
      expect(text).toContain('At the present rate it is empty on 23 Feb 2032.');
      expect(text).toContain('<b>23 Feb 2032</b>');
    });

    test('names keys that end soon or have ended, and no others', async () => {
      const { user, cookie } = await signedIn();
      const nowMs = portal.nowMs();
      const ends = { soon: 7, later: 9, 'yesterday & <b>': 1 };
      for (const [name, days] of Object.entries(ends)) {
        const expiresAt = new Date(nowMs + days * dayMs);
        await portal.write(within(onlyOf(user.id), createKey), 'sluice_', {
          ownerId: user.id,
          name,
          expiresAt,
        });
      }
      portal.setNowMs(nowMs + dayMs);
      const text = await look(cookie);
      expect(text).toContain('The key “soon” ends soon');
      expect(text).toMatch(/It expires <time[^>]*>in \d+ days<\/time>\. Create another/);
      expect(text).toContain('The key “yesterday &amp; &lt;b&gt;” has expired');
      expect(text).not.toContain('The key “later');
    });

    test('names a provider that fails a fifth of its attempts, and who answered instead', async () => {
      const { user, cookie } = await signedIn();
      const failed = { provider: 'shaky', credentialId: 1, status: 500, latencyMs: 1, errorCode: 'upstream' };
      const answered = { provider: 'main', credentialId: 1, status: 200, latencyMs: 1, errorCode: null };
      const good = { ...answered, provider: 'shaky' };
      await insertUsage(
        storage.db,
        Array.from({ length: 19 }, (_, index) =>
          record(user.id, 0.1, { attempts: index < 4 ? [failed, answered] : [good] }),
        ),
      );
      expect(await look(cookie)).not.toContain('shaky fails');
      await insertUsage(storage.db, [record(user.id, 0.1, { attempts: [good] })]);
      const text = await look(cookie);
      expect(text).toContain('shaky fails 20% of its attempts');
      expect(text).toContain('4 of the last 20 attempts in 24 hours; other providers answered all of them.');
      expect(text).not.toContain('main fails');
    });

    test.each([
      [79n, null],
      [80n, 'Your account has used 80% of its budget'],
      [100n, 'Requests get status 402 until then.'],
    ])('tells of a budget of which %d percent are used', async (percent, said) => {
      const { user, cookie } = await signedIn();
      await budgetUsed({ kind: 'user', id: user.id }, percent);
      const text = await look(cookie);
      if (said === null) expect(text).not.toContain('of its budget');
      else expect(text).toContain(said);
    });

    test('tells of a budget in all that is spent until when it stops requests', async () => {
      const { user, cookie } = await signedIn();
      await budgetUsed({ kind: 'user', id: user.id }, 100n, 'total');
      const text = await look(cookie);
      expect(text).toContain('Requests get status 402 until it is raised.');
      expect(text).not.toContain('until then');
    });

    test('says that mails may not reach an address that is not verified', async () => {
      const said = 'Your address is not confirmed';
      expect(await look((await signedIn('member', { emailVerifiedAt: null })).cookie)).toContain(said);
      expect(await look((await signedIn()).cookie)).not.toContain(said);
    });

    test('names models without a price to who sets prices, and to nobody else', async () => {
      const { envelope } = portal.services;
      const provider = { kind: 'openai', baseUrl: null, timeoutsMs: {}, credentials: [], region: null };
      await portal.write((work) =>
        upsertProviders({ ...work, envelope }, null, [{ name: 'main', ...provider }]),
      );
      const model = (id: string, prices: ModelDeclaration['prices']) => ({
        ...{
          id,
          type: 'chat' as const,
          ownedBy: 'somebody',
          aliases: [],
          contextWindow: 8_000,
          maxOutputTokens: 8_000,
        },
        ...{ capabilities: [], prices, deployments: [{ provider: 'main', upstreamId: id }], displayOrder: 1 },
      });
      await portal.write((work) =>
        upsertModels(work, null, [model('priced', { input: 1n, output: 1n }), model('<b>unpriced', null)]),
      );
      await portal.catalogue.reload();
      const owner = await signedIn('platform_owner');
      const said = 'Requests to these models are refused for accounts that pay: &lt;b&gt;unpriced.';
      expect(await look(owner.cookie)).not.toContain(said);
      await portal.sendForm('/dashboard/toggle-admin-mode', {}, { cookie: owner.cookie });
      expect(await look(owner.cookie)).toContain(said);
    });

    test('asks admins for a second factor, and nobody else', async () => {
      expect(await look((await signedIn('org_admin')).cookie)).toContain('takes a single step');
      expect(await look((await signedIn()).cookie)).not.toContain('takes a single step');
    });
  });

  describe('the first steps', () => {
    const steps = async (cookie: string) => {
      const { status, text } = await portal.ask('/dashboard/first-steps', { headers: { cookie } });
      expect(status).toBe(200);
      return JSON.parse(text);
    };

    test('tick themselves off as they happen, and leave when all are done', async () => {
      const { user, cookie } = await signedIn();
      expect(await steps(cookie)).toEqual({ verified: true, key: false, funded: false, request: false });
      expect(await look(cookie)).toContain('1 of 4 done');
      await portal.write(within(onlyOf(user.id), createKey), 'sluice_', { ownerId: user.id, name: 'one' });
      await deposit(user.id, 20_000_000_000n);
      expect(await steps(cookie)).toEqual({ verified: true, key: true, funded: true, request: false });
      await insertUsage(storage.db, [record(user.id, 0)]);
      expect(await steps(cookie)).toEqual({ verified: true, key: true, funded: true, request: true });
      expect(await look(cookie)).not.toContain('data-first-steps');
    });

    test('are hidden for good by who asks for it, and only for them', async () => {
      const { cookie } = await signedIn();
      const hidden = await portal.sendForm('/dashboard/first-steps/dismiss', {}, { cookie });
      expect([hidden.status, hidden.location]).toEqual([303, '/dashboard']);
      const kept = hidden.answer.headers.getSetCookie().map((each) => each.split(';')[0]);
      expect(await look([cookie, ...kept].join('; '))).not.toContain('data-first-steps');
      const other = await signedIn();
      expect(await look([other.cookie, ...kept].join('; '))).toContain('data-first-steps');
      expect((await portal.sendJson('/dashboard/first-steps/dismiss', {}, { cookie })).text).toBe(
        '{"ok":true}',
      );
    });

    test('401 without a session', async () => {
      expect((await portal.ask('/dashboard/first-steps')).status).toBe(401);
      expect((await portal.sendJson('/dashboard/first-steps/dismiss', {})).status).toBe(401);
    });
  });

  /** A budget, of this month or in all, of which so many percent are used. */
  async function budgetUsed(
    subject: BudgetSubject,
    percent: bigint,
    period: 'monthly' | 'total' = 'monthly',
  ) {
    const limitNanoUsd = 100_000_000_000n;
    await portal.write(setBudget, { subject, period, limitNanoUsd, managedBy: null });
    const [fund] = await storage.db
      .insert(funds)
      .values({ balanceNanoUsd: ((100n - percent) * limitNanoUsd) / 100n })
      .returning();
    const { rows } = await storage.db.execute<{ id: string }>(
      sql`SELECT id::text AS id FROM budgets WHERE subject_kind = ${subject.kind} AND subject_id = ${subject.id}`,
    );
    await storage.db.insert(budgetWindows).values({
      ...{ budgetId: Number(rows[0]?.id), startsAt: new Date(period === 'total' ? 0 : Date.UTC(2031, 5)) },
      ...{ fundId: fund?.id ?? 0, limitNanoUsd },
    });
  }

  test('leads to the requests of the span that it shows, and to no others', async () => {
    const { user, cookie } = await signedIn();
    // It is noon: whole days begin half a day before.
    await insertUsage(storage.db, [
      record(user.id, 0, { model: 'at-noon' }),
      record(user.id, 0.49, { model: 'of-today' }),
      record(user.id, 0.51, { model: 'of-yesterday' }),
      record(user.id, 6.49, { model: 'of-the-week' }),
      record(user.id, 6.51, { model: 'before-the-week' }),
      record(user.id, 29.49, { model: 'of-the-month' }),
      record(user.id, 29.51, { model: 'before-the-month' }),
    ]);
    const counts = { 1: 2, 7: 4, 30: 6 };
    for (const [days, count] of Object.entries(counts)) {
      const page = await look(cookie, `?days=${days}`);
      const [, query = ''] = page.match(/request-log\?(from=[^"]+)/) ?? [];
      const log = await portal.ask(`/dashboard/request-log?${query.replaceAll('&amp;', '&')}`, {
        headers: { ...html, cookie },
      });
      expect([days, new Set(log.text.match(/\/dashboard\/request-log\/[0-9a-f-]{36}/g)).size]).toEqual([
        days,
        count,
      ]);
      expect(page).toMatch(new RegExp(`>${count}<`));
    }
  });

  test('shows an admin what they administer, with the largest spenders, and nothing of others', async () => {
    const place = { organisationId };
    const admin = await signedIn('org_admin', place);
    const member = await signedIn('member', place);
    const stranger = await signedIn();
    await insertUsage(storage.db, [
      record(member.user.id, 1, { organisationId, costNanoUsd: 5_000_000_000n, model: 'theirs' }),
      record(stranger.user.id, 1, { costNanoUsd: 9_000_000_000n, model: 'foreign' }),
    ]);
    const own = await look(admin.cookie);
    expect(own).not.toContain(member.user.email);
    expect(own).not.toContain('theirs');
    expect(own).toContain('These figures are of your own requests alone.');
    expect(own).toContain('<span class="organisation-name">Yours alone</span>');
    expect(await look(member.cookie)).not.toContain('of your own requests alone');
    await portal.sendForm('/dashboard/toggle-admin-mode', {}, { cookie: admin.cookie });
    await budgetUsed({ kind: 'organisation', id: organisationId }, 90n);
    const all = await look(admin.cookie);
    expect(all).not.toContain('of your own requests alone');
    expect(all).toContain('Analytical Engines has used 90% of its budget');
    expect(all).not.toContain('Your account has used');
    expect(all).toContain(
      `/dashboard/request-log?person=${member.user.id}&amp;from=2031-05-17&amp;to=2031-06-15`,
    );
    expect(all).toContain(member.user.email);
    expect(all).toContain('theirs');
    expect(all).not.toContain(stranger.user.email);
    expect(all).not.toContain('foreign');
  });
});
