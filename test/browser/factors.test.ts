/** The second factor and passkeys in a browser: set up in the settings, asked for at the sign-in. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { newcomer, signInPath, startSite } from './site.ts';

const timeoutMs = 120_000;
/** A code is good once; so long behind it comes another. */
const nextCodeMs = 60_000;

describeInBrowser('somebody who signs in', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  test(
    'by a passkey, which the browser keeps, needs no password',
    async () => {
      // A passkey belongs to a name, and never to an address of numbers.
      const local = site.url.replace('127.0.0.1', 'localhost');
      const { page, context, problems, close } = await openWindow({
        site: local,
        width: 1440,
        theme: 'light',
      });
      const devices = await context.newCDPSession(page);
      await devices.send('WebAuthn.enable');
      await devices.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await page.goto(`${local}${await signInPath(site, newcomer)}`);
      await page.getByRole('main').getByRole('button').click();
      await page.waitForURL(`${local}/dashboard`);
      await page.goto(`${local}/dashboard/settings/security`);
      await page.locator('input[name=passkey_name]').fill('This laptop');
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByText('The passkey is added').first().waitFor();
      expect(await page.getByRole('table').filter({ hasText: 'This laptop' }).count()).toBe(1);

      await context.clearCookies();
      await page.goto(`${local}/login`);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.waitForURL(`${local}/dashboard`);
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'with a code of an app is asked for it, and a wrong one is refused',
    async () => {
      const { page, context, close } = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const signInByLink = async () => {
        await page.goto(`${site.url}${await signInPath(site, newcomer)}`);
        await page.getByRole('main').getByRole('button').click();
      };
      await signInByLink();
      await page.waitForURL(`${site.url}/dashboard`);
      await page.goto(`${site.url}/dashboard/settings/security`);
      await page.getByRole('button', { name: 'Set up' }).click();
      const secret = ((await page.locator('code.break').textContent()) ?? '').replaceAll(' ', '');
      const app = new TOTP({ secret: Secret.fromBase32(secret) });
      await page.getByLabel('Code of the app').fill(app.generate());
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      const recoveryCode = (await page.locator('.recovery-codes code').first().textContent()) ?? '';

      await context.clearCookies();
      site.leap(nextCodeMs);
      await signInByLink();
      await page.waitForURL((url) => url.pathname === '/login/second-factor');
      await page.getByLabel('Code').fill('000000');
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText(/wrong/).first().waitFor();
      await page.getByLabel('Code').fill(app.generate({ timestamp: Date.now() + nextCodeMs }));
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.waitForURL(`${site.url}/dashboard`);

      await context.clearCookies();
      await signInByLink();
      await page.getByLabel('Code').fill(recoveryCode);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.waitForURL(`${site.url}/dashboard`);
      await close();
    },
    timeoutMs,
  );
});
