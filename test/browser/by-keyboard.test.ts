/** Pages of the dashboard by keyboard alone: filters, menus, sheets and settings, and where the focus is afterwards. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { tabTo } from './keyboard.ts';
import { signIn, startSite } from './site.ts';

const timeoutMs = 120_000;

describeInBrowser('by keyboard alone', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  const focused = (page: Page) =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      const name = at instanceof HTMLInputElement ? at.name : at?.textContent;
      return `${at?.localName} ${(name ?? '').replaceAll(/\s+/g, ' ').trim()}`;
    });
  const isFocused = (page: Page, expected: RegExp) =>
    page.waitForFunction(
      (source) => new RegExp(source).test(document.activeElement?.textContent?.trim() ?? ''),
      expected.source,
    );

  async function open(path: string) {
    const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
    await signIn(window, site, 'owner');
    await window.page.goto(`${site.url}${path}`);
    return window;
  }

  test(
    'a filter is chosen with arrows, and the focus is on it again',
    async () => {
      const { page, problems, close } = await open('/dashboard/request-log');
      await tabTo(page, 'button', /^Status/);
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      expect(await focused(page)).toStartWith('a any');
      await page.keyboard.press('ArrowUp');
      const last = await focused(page);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      expect(await focused(page)).toBe(last);
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/[?&]status=/);
      await isFocused(page, /^Status/);
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      expect(await focused(page)).toMatch(/^button Status/);
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'a request is opened beside its list and left again, and the focus is on its row',
    async () => {
      const { page, problems, close } = await open('/dashboard/request-log?range=all');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      const row = await focused(page);
      await page.keyboard.press('Enter');
      await page.locator('.sheet').waitFor();
      // What lies above the sheet is left before it.
      for (const open of ['Enter', 'Control+k']) {
        if (open === 'Enter') await tabTo(page, 'button', /^Status/);
        await page.keyboard.press(open);
        await page.locator(':popover-open, dialog[open]').waitFor();
        await page.keyboard.press('Escape');
        expect(await page.locator(':popover-open, dialog[open]').count()).toBe(0);
        expect(await page.locator('.sheet').count()).toBe(1);
      }
      await page.keyboard.press('Escape');
      await page.waitForURL(({ pathname }) => pathname === '/dashboard/request-log');
      await page.waitForFunction(() => document.activeElement?.matches('.row-link'));
      expect(await focused(page)).toBe(row);
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'a list is sorted by its head, and settings are saved, where the focus stays',
    async () => {
      const { page, problems, close } = await open('/dashboard/keys');
      await tabTo(page, 'a', /^Spend/);
      await page.keyboard.press('Enter');
      await page.waitForURL(/sort=-spend/);
      await isFocused(page, /^Spend/);
      await page.goto(`${site.url}/dashboard/settings`);
      await tabTo(page, 'input', /^Your name/);
      await page.keyboard.type(' the first');
      await page.keyboard.press('Enter');
      await page.locator('.toast').waitFor();
      await page.waitForFunction(() => document.activeElement?.localName === 'input');
      expect(await focused(page)).toBe('input name');
      await tabTo(page, 'button', /^Dismiss|^Close/);
      await page.keyboard.press('Enter');
      expect(await page.locator('.toast').count()).toBe(0);
      expect(await page.evaluate(() => document.activeElement?.localName)).toBe('main');
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );
});
