/** Signing in by a real OpenID provider in a real browser, which holds forms to their own site, and cookies to their host. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { client, type OpenIdProvider, startOpenIdProvider } from '../support/identity-provider.ts';
import { startTestSluice, type TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';

/**
 * One that nobody listens on at this moment: the provider has to know the address before the program starts. Below those
 * that systems give out by themselves, and above those that browsers refuse.
 */
function findFreePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    try {
      void Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() }).stop(true);
      return port;
    } catch {
      // Somebody has it.
    }
  }
}

describeInBrowser('a sign-in by a provider', (openWindow) => {
  // Browsers take every name under localhost for this machine.
  const port = findFreePort();
  const main = `http://main.localhost:${port}`;
  const reseller = `http://pelican.localhost:${port}`;
  let provider: OpenIdProvider;
  let sluice: TestSluice;
  beforeAll(async () => {
    provider = await startOpenIdProvider([`${main}/oauth/work/login/callback/`]);
    sluice = await startTestSluice({
      variables: { PORT: String(port), SLUICE_PUBLIC_URL: main },
      file: () => ({
        organisations: [{ slug: 'pelican', name: 'Pelican' }],
        identity_providers: [
          {
            name: 'work',
            kind: 'oidc',
            label: 'Workplace',
            issuer: provider.issuer,
            client_id: client.id,
            client_secret: client.secret,
          },
        ],
        portals: [
          {
            host: new URL(reseller).host,
            name: 'Pelican Cloud',
            accent: '#7a3db8',
            organisation: 'pelican',
          },
        ],
      }),
    });
  });
  afterAll(async () => {
    await sluice?.stop();
    await provider?.stop();
  });

  test.each([
    ['the main host', main, 'Sluice'],
    ["a reseller's", reseller, 'Pelican Cloud'],
  ])(
    'makes an account from the form of a new one, on %s, and finds it again',
    async (_where, site, brand) => {
      const email = `${new URL(site).hostname.split('.')[0]}@example.test`;
      provider.person = { sub: email, email, email_verified: true, name: 'Ada' };
      const { page, problems, close } = await openWindow({ site, width: 1440, theme: 'light' });
      await page.goto(`${site}/signup`);
      expect(await page.title()).toContain(brand);
      if (site === main) {
        await page.getByRole('checkbox').check();
        await page.getByRole('button', { name: 'Continue with Workplace' }).click();
      } else {
        // The main host alone takes the terms, and names the portal beside them.
        await page.getByRole('link', { name: 'Continue with Workplace' }).click();
        expect(await page.content()).toContain('Pelican Cloud');
        await page.getByRole('checkbox').check();
        await page.getByRole('button', { name: 'Accept and create account' }).click();
      }
      await page.waitForURL(`${site}/dashboard`);
      expect(await page.content()).toContain(email);

      // Signed out, they come back by the link of the sign-in page. Before it hands them over, the main host asks.
      await page.context().clearCookies();
      await page.goto(`${site}/login`);
      await page.getByRole('link', { name: 'Continue with Workplace' }).click();
      if (site !== main) await page.getByRole('button', { name: `Go on to ${new URL(site).host}` }).click();
      await page.waitForURL(`${site}/dashboard`);
      // The page that asks is answered with 403, which the browser tells as an error.
      const others = problems.filter((problem) => !/asks another host|status of 403/.test(problem));
      expect(others).toEqual([]);
      await close();
    },
  );

  test('with the terms accepted on the way back', async () => {
    provider.person = { sub: 'late', email: 'late@example.test', email_verified: true };
    const { page, problems, close } = await openWindow({ site: main, width: 390, theme: 'dark' });
    await page.goto(`${reseller}/login`);
    await page.getByRole('link', { name: 'Continue with Workplace' }).click();
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Accept and create account' }).click();
    await page.waitForURL(`${reseller}/dashboard`);
    // The page that asks is answered with 403, which the browser tells as an error.
    const others = problems.filter((problem) => !/asks another host|status of 403/.test(problem));
    expect(others).toEqual([]);
    await close();
  });
});
