/** The life of a key by keyboard alone: made, copied, changed, rotated, turned off, ended. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { heardAll } from '../support/heard-all.ts';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { tabTo } from './keyboard.ts';
import { signIn, startSite } from './site.ts';

const timeoutMs = 180_000;

describeInBrowser('a key by keyboard', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  const statusWith = async (token: string): Promise<number> => {
    await heardAll(site.running.services.storage);
    return (await fetch(`${site.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status;
  };
  const shownToken = async (page: Page): Promise<string> =>
    (await page.locator('.new-token .code code').textContent())?.trim() ?? '';
  async function press(page: Page, element: string, name: RegExp): Promise<void> {
    await tabTo(page, element, name);
    await page.keyboard.press('Enter');
  }

  test(
    'is made, copied, changed, rotated, turned off and on, and ended',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page, context, problems } = window;
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
      await signIn(window, site, 'resident');

      await page.goto(`${site.url}/dashboard/keys`);
      await press(page, 'a', /^Create key$/);
      await page.waitForURL('**/dashboard/keys/new');
      await tabTo(page, 'input', /^Name/);
      await page.keyboard.type('night watch');
      await tabTo(page, 'input', /^A month/);
      await page.keyboard.type('20');
      await tabTo(page, 'input', /^Requests a minute/);
      await page.keyboard.type('30');
      await page.locator('[data-can-do]').getByText('30 requests a minute').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/token');
      const first = await shownToken(page);
      await press(page, 'button', /^Copy$/);
      await page.waitForFunction(() => document.querySelector('.copy.copied') !== null);
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first);
      expect(await statusWith(first)).toBe(200);
      await press(page, 'a', /^To the key$/);
      await page.waitForURL(/\/dashboard\/keys\/\d+$/);
      const key = page.url();

      await press(page, 'a', /^Edit$/);
      await page.waitForURL('**/edit');
      await tabTo(page, 'input', /^Name/);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('day watch');
      await page.keyboard.press('Enter');
      await page.waitForURL(key);
      await page.getByRole('heading', { name: 'day watch', level: 1 }).waitFor();

      await press(page, 'button', /^Rotate$/);
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Rotate');
      await page.keyboard.press('Enter');
      await press(page, 'button', /^Rotate key$/);
      await page.waitForURL('**/token');
      const second = await shownToken(page);
      expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
      await press(page, 'a', /^To the key$/);
      await page.waitForURL(key);
      await press(page, 'button', /^End now$/);
      await page.getByText('The token before has ended.').waitFor();
      expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);

      await press(page, 'button', /^Disable$/);
      await page.getByText('The key is disabled.').waitFor();
      expect(await statusWith(second)).toBe(401);
      await press(page, 'button', /^Enable$/);
      await page.getByText('The key is enabled.').waitFor();
      expect(await statusWith(second)).toBe(200);

      await press(page, 'button', /^Revoke$/);
      await tabTo(page, 'input', /^Type day watch to confirm/);
      await page.keyboard.type('night watch');
      await page.keyboard.press('Enter');
      expect(await dialog.isVisible()).toBe(true);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('day watch');
      await page.keyboard.press('Enter');
      await page.getByText('The key is revoked.').waitFor();
      expect(await statusWith(second)).toBe(401);
      expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
      expect(problems).toEqual([]);
      await window.close();
    },
    timeoutMs,
  );

  test(
    'has no last day once another end is chosen',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page, problems } = window;
      await signIn(window, site, 'resident');
      await page.goto(`${site.url}/dashboard/keys/new`);
      await page.getByLabel('Name', { exact: true }).fill('undecided');
      const [expires, lastDay] = [page.getByLabel('Expires'), page.locator('input[name=expires_on]')];
      expect(await lastDay.isVisible()).toBe(false);
      await expires.selectOption('date');
      await lastDay.fill('2099-01-31');
      await expires.selectOption('never');
      expect(await lastDay.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.waitForURL('**/token');
      expect(problems).toEqual([]);
      await window.close();
    },
    timeoutMs,
  );

  test(
    'opens what it is asked to do from the menu of the list',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page, problems } = window;
      await signIn(window, site, 'resident');
      await page.goto(`${site.url}/dashboard/keys/new`);
      await page.getByLabel('Name', { exact: true }).fill('menu');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.waitForURL('**/token');
      await page.goto(`${site.url}/dashboard/keys`);
      await press(page, 'button', /^Actions for menu$/);
      await press(page, 'a', /^Rotate$/);
      await page.waitForURL(({ hash }) => hash === '#rotate');
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).waitFor();
      expect(problems).toEqual([]);
      await window.close();
    },
    timeoutMs,
  );
});
