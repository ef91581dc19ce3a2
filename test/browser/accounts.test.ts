/** Accounts from beginning to end in a browser, with the mails that go with them: made, lost, found again and joined. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser, type Window } from './browser.ts';
import { tabTo } from './keyboard.ts';
import { invitePath } from './paths.ts';
import { makeAccount, password, signInAt, signUp } from './sign-up.ts';
import { linkInMailTo, startSite } from './site.ts';

const timeoutMs = 120_000;

describeInBrowser('an account', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  const open = (): Promise<Window> => openWindow({ site: site.url, width: 1440, theme: 'light' });
  const pathOf = (page: Page) => new URL(page.url()).pathname;

  /** As somebody who has no pointer. */
  async function type(page: Page, label: RegExp, text: string) {
    await tabTo(page, 'input', label);
    await page.keyboard.type(text);
  }

  async function newAccount(email: string): Promise<Window> {
    const window = await open();
    await makeAccount(window.page, site, email);
    return window;
  }

  test(
    'is made by keyboard alone: signed up, confirmed by the mail and signed in by it, signed out',
    async () => {
      const email = 'keyboard@example.test';
      const { page, problems, close } = await open();
      await page.goto(`${site.url}/signup`);
      await type(page, /^Your name/, 'Ada Lovelace');
      await type(page, /^E-mail address/, email);
      await type(page, /^Password/, password);
      await tabTo(page, 'input', /I accept the/);
      await page.keyboard.press('Space');
      await tabTo(page, 'button', /^Create account$/);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname === '/verify-email');

      await page.goto(await linkInMailTo(site, email, '/verify-email'));
      await type(page, /^Password/, password);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site.url}/dashboard`);
      await tabTo(page, 'button', new RegExp(email));
      await page.keyboard.press('Enter');
      await tabTo(page, 'button', /^Sign out$/);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname !== '/dashboard');
      await page.goto(`${site.url}/dashboard`);
      expect(pathOf(page)).not.toBe('/dashboard');
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'gets another password by a mail, and the old one is worth nothing',
    async () => {
      const email = 'forgetful@example.test';
      const { page, close } = await newAccount(email);
      await page.context().clearCookies();
      await page.goto(`${site.url}/login`);
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByLabel('E-mail address').fill(email);
      await page.getByRole('button', { name: 'Send the mail' }).click();
      await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
      await page.goto(await linkInMailTo(site, email, '/reset-password'));
      await page.getByLabel('New password').fill('another heron altogether');
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.waitForURL(`${site.url}/dashboard`);
      await page.context().clearCookies();
      await signInAt(page, site, email, password);
      await page
        .getByText(/is wrong/)
        .first()
        .waitFor();
      expect(pathOf(page)).toBe('/login');
      await signInAt(page, site, email, 'another heron altogether');
      await page.waitForURL(`${site.url}/dashboard`);
      await close();
    },
    timeoutMs,
  );

  test(
    'joins an organisation that invites it',
    async () => {
      const email = 'colleague@example.test';
      const { page, problems, close } = await open();
      await page.goto(`${site.url}${await invitePath(site, email)}`);
      await page.getByRole('link', { name: 'Create an account' }).click();
      await signUp(page, email);
      await page.waitForURL(`${site.url}/dashboard`);
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );
});
