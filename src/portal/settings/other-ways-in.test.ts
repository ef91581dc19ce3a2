import { expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import type { IdentityProvider } from '../../configuration/index.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const settings = '/dashboard/settings';
const provider: IdentityProvider = {
  ...{ name: 'work', label: 'Acme', issuer: 'https://id.acme.test', organisation: null },
  ...{ clientId: 'sluice', clientSecret: 'a secret', enforcedDomains: [] },
  kind: 'oidc',
};

let portal: TestPortal;
withTestPortal(
  (opened) => {
    ({ portal } = opened);
  },
  { changes: { identityProviders: [provider] } },
);

/** By each of these somebody could sign in anew, and so have every proof that they were not asked for. */
test.each([
  ['a passkey', `${settings}/passkeys/options`, {}],
  ['two-step sign-in', `${settings}/two-step`, {}],
  ['an account at a provider', `${settings}/providers/work/link`, {}],
  ['a first password', `${settings}/password`, { password: 'four plain words here' }],
])('%s is added right after a sign-in, and not by an open session alone', async (_what, path, body) => {
  const { cookie } = await portal.signedIn();
  portal.setNowMs(portal.nowMs() + 600_000);
  const late = await portal.sendJson(path, body, { cookie });
  expect([late.status, JSON.parse(late.text).code]).toEqual([403, 'proof_needed']);
  const page = await portal.ask(`${settings}/security`, { headers: { accept: 'text/html', cookie } });
  expect(page.status).toBe(200);
  expect(page.text.split('/login?again=1&amp;next=%2Fdashboard%2Fsettings%2Fsecurity')).toHaveLength(5);
  const fresh = await portal.signedIn();
  expect((await portal.sendJson(path, body, { cookie: fresh.cookie })).status).toBe(200);
});

test('the first password of an owner is given right after a sign-in too, and the page says how', async () => {
  const { user, cookie } = await portal.signedIn({ role: 'platform_owner' });
  const headers = { accept: 'text/html', cookie };
  const settled = { organisation: 'Mills', password: 'four plain words here' };
  portal.setNowMs(portal.nowMs() + 600_000);
  const late = await portal.sendJson('/welcome', settled, { cookie });
  expect([late.status, JSON.parse(late.text).code]).toEqual([403, 'proof_needed']);
  const { text } = await portal.ask('/welcome', { headers });
  expect(text).toContain('/login?again=1&amp;next=%2Fwelcome');
  expect(text).toContain(`npx sluice users sign-in-link --owner ${user.email}`);
  expect(text).not.toContain('name="password"');
});

test('two-step sign-in that was begun and left is neither shown nor turned on by an open session alone', async () => {
  const setUp = `${settings}/two-step`;
  const { cookie } = await portal.signedIn();
  const begun = JSON.parse((await portal.sendJson(setUp, {}, { cookie })).text);
  portal.setNowMs(portal.nowMs() + 600_000);
  const shown = await portal.ask(setUp, { headers: { accept: 'text/html', cookie } });
  expect([shown.status, shown.location]).toEqual([303, `/login?again=1&next=${encodeURIComponent(setUp)}`]);
  const secret = Secret.fromBase32(begun.secret);
  const code = TOTP.generate({ secret, timestamp: portal.nowMs() });
  const confirmed = await portal.sendJson(`${setUp}/confirm`, { code }, { cookie });
  expect([confirmed.status, JSON.parse(confirmed.text).code]).toEqual([403, 'proof_needed']);
});
