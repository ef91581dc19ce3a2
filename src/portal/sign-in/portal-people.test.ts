import { beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { Secret, TOTP } from 'otpauth';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { everybody } from '../../base/scope.ts';
import { createInvite, issueToken, type User } from '../../identity/index.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { users } from '../../storage/schema/identity.ts';
import { sessions } from '../../storage/schema/sign-in.ts';
import { languages } from '../languages/language.ts';
import { origin, type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const host = 'ai.pelican.test';
const pelican = { host, name: 'Pelican Cloud', accent: null, logo: null, organisationId: 0 };

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal(
  async (opened) => {
    ({ storage, portal } = opened);
    pelican.organisationId = (await portal.write(createOrganisation, { name: 'Pelican' })).id;
  },
  {
    changes: {
      publicUrl: origin,
      resellerHosts: { find: (named) => (named === host ? pelican : undefined) },
    },
  },
);
beforeEach(() => portal.setNowMs(portal.nowMs() + 3_600_000));

async function own(role: 'member' | 'platform_admin' = 'member') {
  const user = await portal.newUser({ password, role });
  await storage.db.update(users).set({ organisationId: pelican.organisationId }).where(eq(users.id, user.id));
  return user;
}
const sessionsOf = ({ id }: User) => storage.db.select().from(sessions).where(eq(sessions.userId, id));
const logIn = (email: string, given = password) =>
  portal.sendJson('/auth/login', { email, password: given }, { host });

describe('at a portal of its own name, a password', () => {
  test('signs in the people of its organisation', async () => {
    const user = await own();
    expect((await logIn(user.email)).status).toBe(200);
    expect(await sessionsOf(user)).toMatchObject([{ host }]);
  });

  test('signs in nobody else and nobody who administers the platform, whom it tells only when it is right', async () => {
    const others = [
      await portal.newUser({ password }),
      await portal.newUser({ password, role: 'platform_owner' }),
      await own('platform_admin'),
    ];
    for (const user of others) {
      expect((await logIn(user.email, 'four other words here')).status).toBe(401);
      const { status, text, answer } = await logIn(user.email);
      expect([status, JSON.parse(text).code]).toEqual([403, 'sign_in_elsewhere']);
      expect(text).toContain(`${origin}/login?next=%2Fdashboard`);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(await sessionsOf(user)).toEqual([]);
      const main = await portal.sendJson('/auth/login', { email: user.email, password });
      expect(main.status).toBe(200);
    }
  });

  test('is answered with a page that leads to the main address and on from there, in every language', async () => {
    const { email } = await portal.newUser({ password });
    for (const language of languages) {
      const fields = { email, password, next: '/dashboard/keys' };
      const page = await portal.sendForm('/auth/login', fields, { host, 'accept-language': language });
      expect(page.status).toBe(403);
      expect(page.text).toContain(`href="${origin}/login?next=%2Fdashboard%2Fkeys"`);
    }
  });

  test('leads no other person to the question for a code, and no code into a session', async () => {
    const { user, cookie } = await portal.signedIn({ password });
    const begun = await portal.sendJson('/dashboard/settings/two-step', {}, { cookie });
    const secret = Secret.fromBase32(JSON.parse(begun.text).secret);
    const code = () => TOTP.generate({ secret, timestamp: portal.nowMs() });
    await portal.sendJson('/dashboard/settings/two-step/confirm', { code: code() }, { cookie });
    portal.setNowMs(portal.nowMs() + 60_000);
    const asked = await logIn(user.email);
    expect([asked.status, asked.answer.headers.getSetCookie()]).toEqual([403, []]);
    // Somebody may carry over what the main address gave them.
    const token = await portal.write(issueToken, 'second_factor', user.id, { method: 'password' });
    const half = `sluice-second-factor=${token.secret}`;
    const step = await portal.sendJson('/login/second-factor', { code: code() }, { host, cookie: half });
    expect(step.status).toBe(403);
    expect(await sessionsOf(user)).toHaveLength(1);
  });
});

describe('at a portal of its own name, a link', () => {
  test('that signs in is still good at the main address', async () => {
    const { id } = await portal.newUser({ role: 'platform_owner' });
    const { secret } = await portal.write(issueToken, 'sign_in', id, {});
    expect((await portal.sendJson(`/sign-in/${secret}`, {}, { host })).status).toBe(403);
    expect((await portal.sendJson(`/sign-in/${secret}`, {})).status).toBe(200);
  });

  test('that resets a password changes none of others, and is still good at the main address', async () => {
    const user = await portal.newUser({ password });
    const { email } = user;
    await storage.db
      .update(users)
      .set({ emailVerifiedAt: new Date(0) })
      .where(eq(users.id, user.id));
    const { secret } = await portal.write(issueToken, 'reset_password', user.id, { email });
    const given = { token: secret, password: 'four other words here' };
    expect((await portal.sendJson('/auth/reset-password', given, { host })).status).toBe(403);
    expect((await portal.sendJson('/auth/login', { email, password })).status).toBe(200);
    expect((await portal.sendJson('/auth/reset-password', given)).status).toBe(200);
  });

  test('that invites its people to administer the platform is accepted at the main address', async () => {
    const { email } = await own();
    const kept = cookieOf((await logIn(email)).answer);
    expect((await portal.sendJson('/api/legal/accept', {}, { host, cookie: kept })).status).toBe(200);
    const inviter = await portal.newUser({ role: 'platform_owner' });
    const { secret } = await portal.write((work) =>
      createInvite(everybody, work, {
        ...{ inviter, email, role: 'platform_admin', organisationId: null, departmentId: null },
      }),
    );
    const joined = await portal.sendJson(`/invite/${secret}`, {}, { host, cookie: kept });
    expect([joined.status, joined.text.includes(`${origin}/invite/${secret}`)]).toEqual([403, true]);
  });
});

const cookieOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
