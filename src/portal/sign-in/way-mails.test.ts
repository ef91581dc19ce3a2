import { beforeEach, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import type { TestDatabase } from '../../../test/support/databases.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import { issueToken } from '../../identity/index.ts';
import { softAuthenticator } from '../../identity/testing/soft-authenticator.ts';
import { linkedIdentities } from '../../storage/schema/sign-in.ts';
import { origin, type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const password = 'four plain words here';
const settings = '/dashboard/settings';
const waysLink = `${origin}${settings}/security`;
const provider: IdentityProvider = {
  ...{ name: 'work', label: 'Acme', issuer: 'https://id.acme.test', organisation: null },
  ...{ clientId: 'sluice', clientSecret: 'a secret', enforcedDomains: [] },
  kind: 'oidc',
};

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal(
  (opened) => {
    ({ storage, portal } = opened);
  },
  { changes: { identityProviders: [provider] } },
);
beforeEach(() => portal.setNowMs(portal.nowMs() + 3_600_000));

const toldTo = async (email: string) => (await portal.mails()).filter(({ to }) => to === email);
const changesTold = async (email: string) =>
  (await toldTo(email)).map(({ facts }) => [facts['change'], facts['what']]);

async function addPasskey(cookie: string) {
  const asked = await portal.sendJson(`${settings}/passkeys/options`, {}, { cookie });
  const { challenge } = JSON.parse(asked.text).options;
  const [kept] = asked.answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  const answer = softAuthenticator().create({ challenge, origin, rpId: 'sluice.test' });
  const body = { answer, name: 'Phone' };
  const added = await portal.sendJson(`${settings}/passkeys`, body, { cookie: `${cookie}; ${kept}` });
  expect(added.status).toBe(200);
}

const link = (userId: number, of = 'work') =>
  storage.db
    .insert(linkedIdentities)
    .values({ userId, provider: of, subject: `subject-${userId}`, email: 'ada@acme.test' });

test('a passkey that is added or removed is told by mail, with its name', async () => {
  const { user, cookie } = await portal.signedIn({ password });
  await addPasskey(cookie);
  const page = await portal.ask(`${settings}/security`, { headers: { accept: 'text/html', cookie } });
  const id = /passkeys\/(\d+)\/remove/.exec(page.text)?.[1];
  await portal.sendJson(`${settings}/passkeys/${id}/remove`, {}, { cookie });
  expect(await toldTo(user.email)).toMatchObject([
    { kind: 'sign_in_changed', facts: { change: 'passkey_added', what: 'Phone', waysLink } },
    { kind: 'sign_in_changed', facts: { change: 'passkey_removed', what: 'Phone', waysLink } },
  ]);
});

test('two-step sign-in that is turned on, renewed or turned off is told by mail, and a wrong code is not', async () => {
  const { user, cookie } = await portal.signedIn({ password });
  const at = `${settings}/two-step`;
  const begun = JSON.parse((await portal.sendJson(at, {}, { cookie })).text);
  const secret = Secret.fromBase32(begun.secret);
  const send = async (path: string, given?: string) => {
    portal.setNowMs(portal.nowMs() + 30_000);
    const code = given ?? TOTP.generate({ secret, timestamp: portal.nowMs() });
    return (await portal.sendJson(`${at}${path}`, { code }, { cookie })).status;
  };
  expect(await send('/confirm', '000000')).toBe(401);
  expect(await changesTold(user.email)).toEqual([]);
  for (const path of ['/confirm', '/recovery-codes', '/remove']) expect(await send(path)).toBe(200);
  expect(await changesTold(user.email)).toEqual([
    ['two_step_on', ''],
    ['recovery_codes_renewed', ''],
    ['two_step_off', ''],
  ]);
});

test('an account at a provider that is unlinked is told by mail', async () => {
  const { user, cookie } = await portal.signedIn({ password });
  await link(user.id);
  expect((await portal.sendJson(`${settings}/providers/work/unlink`, {}, { cookie })).status).toBe(200);
  expect(await changesTold(user.email)).toEqual([['provider_unlinked', 'Acme']]);
});

test('the mail about a reset says what else still signs in, and where that is removed', async () => {
  const { user, cookie } = await portal.signedIn({ password });
  const { id, email } = user;
  await addPasskey(cookie);
  await link(id);
  // One that is configured no more signs nobody in.
  await link(id, 'former');
  const { secret } = await portal.write(issueToken, 'reset_password', id, { email });
  const given = { token: secret, password: 'four other words here' };
  expect((await portal.sendJson('/auth/reset-password', given)).status).toBe(200);
  expect((await toldTo(email)).at(-1)).toMatchObject({
    kind: 'password_changed',
    facts: { resetLink: `${origin}/forgot-password`, passkeys: 1, providers: 1, waysLink },
  });
});
