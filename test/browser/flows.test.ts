/** What people do on the pages, done by a browser from beginning to end. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { onlyOf } from '../../src/base/scope.ts';
import { acceptLegal, createUser } from '../../src/identity/index.ts';
import { transact } from '../../src/storage/work.ts';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser, type Window, type WindowOptions } from './browser.ts';
import { tabTo } from './keyboard.ts';
import { linkInMailTo, owner, signIn, signInPath, startSite } from './site.ts';

const timeoutMs = 120_000;

describeInBrowser('somebody', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  async function visit(path: string, options: Partial<WindowOptions> = {}): Promise<Window> {
    const window = await openWindow({ site: site.url, width: 1440, theme: 'light', ...options });
    await window.page.goto(`${site.url}${path}`);
    return window;
  }

  const rootOf = (page: Page) => page.locator('html');

  test(
    'signs in by a link and out again, by keyboard alone',
    async () => {
      const { page, problems, close } = await visit(await signInPath(site, owner));
      await tabTo(page, 'button', /sign in/i);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site.url}/dashboard`);
      await tabTo(page, 'button', new RegExp(owner));
      await page.keyboard.press('Enter');
      await tabTo(page, 'button', /sign out/i);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname !== '/dashboard');
      await page.goto(`${site.url}/dashboard`);
      expect(new URL(page.url()).pathname).not.toBe('/dashboard');
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'sends the request of the start page, and watches it',
    async () => {
      const { page, problems, close } = await visit('/');
      await page.getByRole('button', { name: 'Send a live request' }).click();
      await page.getByText('Live, through the simulator').waitFor();
      expect(await page.locator('[data-live-text]').textContent()).toContain('simulat');
      expect(await page.locator('[data-figure="cost"]').textContent()).toMatch(/^\$0\.\d+$/);
      expect(await page.locator('[data-span-text="gate"]').textContent()).toMatch(/ ms$/);
      expect(await page.locator('[data-recorded]').isHidden()).toBe(true);
      await page.getByRole('button', { name: 'Send another' }).click();
      await page.getByRole('button', { name: 'Send another', disabled: false }).waitFor();
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'finds an address in the reference, and sends a request from there',
    async () => {
      const { page, problems, close } = await visit('/api-docs');
      await page.getByRole('searchbox').fill('chat compl');
      await page.getByRole('link', { name: '/v1/chat/completions' }).click();
      await page.getByLabel('Token', { exact: true }).fill(site.token);
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText(/^200 OK/).waitFor();
      await page.locator('[data-text]', { hasText: '"choices"' }).waitFor();
      await page.getByLabel('Body').fill('{');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText('The body is not valid JSON.').waitFor();
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'sends a form once, and again for who has stopped it or waited long',
    async () => {
      const { page, close } = await visit('/login');
      // What the page leaves for later, which the test lets come.
      await page.evaluate(() => {
        const later: (() => void)[] = [];
        const leave = (run: () => void, afterMs = 0) => (afterMs <= 16_000 ? later.push(run) : 0);
        Object.assign(window, { later, setTimeout: leave });
      });
      // A page that does not come leaves the one that there is.
      await page.route('**/auth/**', (route) => route.fulfill({ status: 204 }));
      const submit = () =>
        page.evaluate(() => {
          const form = document.querySelector<HTMLFormElement>('main form[method=post]');
          form?.setAttribute('novalidate', '');
          form?.requestSubmit();
          return form?.dataset['sent'];
        });
      const isSent = () => page.locator('main form[data-sent=true]').count();
      expect([await submit(), await isSent()]).toEqual(['true', 1]);
      await page.keyboard.press('Escape');
      expect(await isSent()).toBe(0);
      expect(await submit()).toBe('true');
      await page.evaluate(() => {
        for (const run of Reflect.get(window, 'later')) run();
      });
      expect(await isSent()).toBe(0);
      await close();
    },
    timeoutMs,
  );

  test.each([
    ['with scripts', true],
    ['without', false],
  ] as const)(
    'changes language and theme %s, and both are remembered',
    async (_title, scripts) => {
      const { page, problems, close } = await visit('/', { scripts });
      expect(await rootOf(page).getAttribute('lang')).toBe('en');
      await page.getByRole('button', { name: 'Deutsch' }).click();
      await page.locator('html[lang=de]').waitFor({ state: 'attached' });
      for (const shown of ['system', 'light']) {
        const remembered = page.waitForResponse((answer) => answer.url().endsWith('/preferences'));
        await page.locator(`[data-shows=${shown}]:not([hidden])`).click();
        await remembered;
        await page.waitForLoadState();
      }
      await page.goto(`${site.url}/no-such-page`);
      expect(await rootOf(page).getAttribute('lang')).toBe('de');
      expect(await rootOf(page).getAttribute('data-theme')).toBe('dark');
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test.each(['de-AT', 'fr', 'es-MX', 'it'])(
    'whose browser asks for %s reads that, or English',
    async (language) => {
      const { page, close } = await visit('/', { language });
      const spoken = language.slice(0, 2);
      expect(await rootOf(page).getAttribute('lang')).toBe(spoken === 'it' ? 'en' : spoken);
      await close();
    },
    timeoutMs,
  );

  test(
    'is asked to accept new terms wherever they go, and comes back to where they wanted to be',
    async () => {
      const email = 'reader@example.test';
      await transact(site.running.services, async (work) => {
        const { id } = await createUser(work, { email, role: 'member' });
        await acceptLegal(onlyOf(id), work, '2001-01-01');
      });
      const { page, problems, close } = await visit(await signInPath(site, email));
      await page.getByRole('main').getByRole('button').click();
      await page.waitForURL(({ pathname }) => pathname === '/legal/accept');
      await page.goto(`${site.url}/dashboard/settings/security`);
      await page.waitForURL(({ pathname }) => pathname === '/legal/accept');
      await page.getByRole('heading', { name: 'The terms have changed' }).waitFor();
      const reading = page.context().waitForEvent('page');
      await page.getByRole('main').getByRole('link', { name: 'terms', exact: true }).click();
      const terms = await reading;
      await terms.waitForURL(`${site.url}/legal/terms`);
      await terms.close();
      await page.getByRole('button', { name: 'Accept and go on' }).click();
      await page.waitForURL(`${site.url}/dashboard/settings/security`);
      await page.getByText('You have accepted the terms.').waitFor();
      await page.goto(`${site.url}/legal/accept`);
      await page.waitForURL(`${site.url}/dashboard`);
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'is invited on the page of an admin, and has an account by the link of the mail',
    async () => {
      const email = 'invited@example.test';
      const admin = await openWindow({ site: site.url, width: 1440, theme: 'dark' });
      await signIn(admin, site, 'owner');
      await admin.page.goto(`${site.url}/dashboard/admin/users/invite`);
      await admin.page.getByLabel('E-mail address').fill(email);
      await admin.page.getByRole('main').locator('form button[type=submit]').first().click();
      await admin.page.getByRole('row').filter({ hasText: email }).getByText('Pending').waitFor();

      const link = await linkInMailTo(site, email, '/invite/');
      const { page, problems, close } = await visit(new URL(link).pathname, { width: 390 });
      await page.getByRole('link', { name: 'Create an account' }).click();
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
      await page.getByLabel('Your name').fill('Ida Invited');
      await page.getByLabel('Password', { exact: true }).fill('four plain words here');
      await page.getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.waitForURL(`${site.url}/dashboard`);
      expect(await page.content()).toContain(email);
      await page.goto(link);
      await page.getByRole('heading', { name: 'This invitation does not work any more' }).waitFor();

      await admin.page.reload();
      await admin.page.getByRole('row').filter({ hasText: email }).getByText('Accepted').waitFor();
      // A page that says that a link is over is answered with 410, which the browser tells as an error.
      expect([...admin.problems, ...problems].filter((each) => !each.includes('status of 410'))).toEqual([]);
      await admin.close();
      await close();
    },
    timeoutMs,
  );

  test(
    'jumps to a page with Ctrl+K and arrows, and out of the palette with Escape',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      await signIn(window, site, 'owner');
      const { page, problems, close } = window;
      const palette = page.getByRole('dialog');
      await page.keyboard.press('Control+k');
      await palette.waitFor();
      await page.keyboard.press('Escape');
      await palette.waitFor({ state: 'hidden' });
      await page.keyboard.press('Control+k');
      await page.keyboard.type('no such page at all');
      await page.getByRole('status').filter({ visible: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      const chosen = await palette.locator('[role=option][aria-selected=true]').getAttribute('href');
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => `${url.pathname}${url.hash}` === chosen);
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );
});
