/** What people reach with a thumb: all that a row offers, and what a form that was refused says. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { findOverflow } from './examine.ts';
import { keyPath } from './paths.ts';
import { signIn, startSite, type Visitor } from './site.ts';

const timeoutMs = 60_000;

describeInBrowser('the dashboard on a phone', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  async function open(visitor: Visitor, path: string) {
    const window = await openWindow({ site: site.url, width: 390, theme: 'light' });
    await signIn(window, site, visitor);
    await window.page.goto(`${site.url}${path}`);
    return window;
  }

  test(
    'reaches every action of a key from its row',
    async () => {
      const key = await keyPath(site);
      const { page, close } = await open('resident', '/dashboard/keys');
      const row = page.getByRole('row').filter({ has: page.locator(`a.row-link[href="${key}"]`) });
      await row.getByRole('button', { name: /^Actions for / }).click();
      const menu = row.locator('.menu');
      await menu.waitFor();
      expect(await menu.getByRole('link').allTextContents()).toEqual([
        ...['Open', 'Edit', 'Rotate', 'Duplicate', 'Requests', 'Revoke'],
      ]);
      expect(await menu.getByRole('button').allTextContents()).toEqual(['Disable']);
      await menu.getByRole('link', { name: 'Edit' }).click();
      await page.waitForURL(`**${key}/edit`);
      await close();
    },
    timeoutMs,
  );

  test(
    'opens the question whether to revoke a key from its row',
    async () => {
      const key = await keyPath(site);
      const { page, close } = await open('resident', '/dashboard/keys');
      const row = page.getByRole('row').filter({ has: page.locator(`a.row-link[href="${key}"]`) });
      await row.getByRole('button', { name: /^Actions for / }).click();
      await row.getByRole('link', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).waitFor();
      await close();
    },
    timeoutMs,
  );

  test.each([
    ['/dashboard/request-log', 'more'],
    ['/dashboard/usage', 'usage-filter'],
  ])(
    'shows a form of filters in its whole width (%s)',
    async (path, id) => {
      const { page, close } = await open('owner', path);
      await page.locator(`[popovertarget=menu-${id}]`).click();
      const menu = page.locator(`#menu-${id}`);
      await menu.waitFor();
      const { left, right, cut } = await menu.evaluate((box) => {
        const { left, right } = box.getBoundingClientRect();
        return { left, right, cut: box.scrollWidth - box.clientWidth };
      });
      expect(cut).toBe(0);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(390);
      await close();
    },
    timeoutMs,
  );

  test.each([
    ['/dashboard/request-log', '.toolbar-filters .chip'],
    ['/dashboard/models', '.toolbar-filters .chip'],
    ['/dashboard/activity', '.activity td:not([class*=leaves]) > *'],
  ])(
    'shows all of what it filters and tells by (%s)',
    async (path, parts) => {
      const { page, close } = await open('owner', path);
      const seen = page.locator(parts).filter({ visible: true });
      const rights = await seen.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right));
      expect(rights.length).toBeGreaterThan(0);
      expect(Math.max(...rights)).toBeLessThanOrEqual(390 - 16);
      await close();
    },
    timeoutMs,
  );

  test(
    'tells by whom and from where something was done in one line, and when on another',
    async () => {
      const { page, close } = await open('owner', '/dashboard/activity');
      const row = page.locator('.activity tbody tr').first();
      expect(await row.locator('.phone-detail').allInnerTexts()).toEqual([
        expect.stringMatching(/^you · [\da-f.:]+ · Chrome · Linux$/),
      ]);
      const heightOf = (part: string) =>
        row.locator(part).evaluate((element) => element.getBoundingClientRect().height);
      expect(Math.max(await heightOf('.phone-detail'), await heightOf('.activity-when'))).toBeLessThan(24);
      await close();
    },
    timeoutMs,
  );

  test(
    'shows every tick of what a contact is told',
    async () => {
      const { page, close } = await open('resident', '/dashboard/settings/notifications');
      const table = page.locator('.table-box:has(.contact-matrix)');
      expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
      await close();
    },
    timeoutMs,
  );

  test.each([
    ['owner', '/dashboard/models'],
    ['nobody', '/models-public'],
  ] as const)(
    'compares models that are ticked in their rows, by a word that is seen (%s)',
    async (visitor, path) => {
      const { page, close } = await open(visitor, path);
      const rows = page.locator('tr:has(.compare-tick)');
      const waiting = page.getByRole('button', { name: 'Tick two or more to compare' });
      for (const model of ['atlas-4', 'atlas-4-mini']) {
        expect(await waiting.isDisabled()).toBe(true);
        const row = rows.filter({
          has: page.getByRole('checkbox', { name: `Compare ${model}`, exact: true }),
        });
        await row.getByText('Compare', { exact: true }).click();
      }
      const go = page.getByRole('button', { name: 'Compare 2 models' });
      expect(await go.evaluate((button) => button.getBoundingClientRect().right <= innerWidth)).toBe(true);
      await go.click();
      await page.getByRole('heading', { name: 'Compared' }).waitFor();
      expect(new URL(page.url()).searchParams.getAll('compare')).toEqual(['atlas-4', 'atlas-4-mini']);
      await close();
    },
    timeoutMs,
  );

  test(
    'copies the token of a new key, which is on the page as a whole',
    async () => {
      const { page, close } = await open('resident', '/dashboard/keys/new');
      await page.getByLabel('Name', { exact: true }).fill('pocket');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.waitForURL('**/token');
      for (const shown of [
        page.locator('.new-token code').first(),
        page.getByRole('button', { name: 'Copy' }).first(),
      ]) {
        const edges = await shown.evaluate((element) => {
          const { left, right } = element.getBoundingClientRect();
          return {
            isWhole: left >= 0 && right <= innerWidth,
            isCut: element.scrollWidth > element.clientWidth + 1,
          };
        });
        expect(edges).toEqual({ isWhole: true, isCut: false });
      }
      expect(await findOverflow(page)).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'sorts a list, whose head is away',
    async () => {
      const { page, close } = await open('owner', '/dashboard/models');
      await page.getByRole('button', { name: /^Sort/ }).click();
      await page.locator('.table-sort .menu').getByRole('link', { name: 'Input', exact: true }).click();
      await page.getByRole('button', { name: 'Sort Input sorted upwards' }).waitFor();
      expect(new URL(page.url()).searchParams.get('sort')).toBe('input');
      await close();
    },
    timeoutMs,
  );

  test(
    'says once what was wrong with a form',
    async () => {
      const { page, close } = await open('newcomer', '/dashboard/settings/security');
      await page.getByLabel('Current password').fill('not this one at all');
      await page.getByLabel('New password').fill('four plain words here');
      await page.getByRole('button', { name: 'Save the password' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').allInnerTexts()).toEqual([
        expect.stringMatching(/^One field needs another look\s+This is not your password\.$/),
      ]);
      await close();
    },
    timeoutMs,
  );
});
