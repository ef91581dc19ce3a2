/** Pages of the dashboard by keyboard alone: filters, menus, sheets and settings, and where the focus is afterwards. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page, Request } from 'playwright-core';
import { onlyOf } from '../../src/base/scope.ts';
import { listSessions, startSession } from '../../src/identity/index.ts';
import { transact } from '../../src/storage/work.ts';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { tabTo } from './keyboard.ts';
import { personOf, resident, signIn, startSite, type Visitor } from './site.ts';

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

  /** As the keyboard sends it again and again: into whatever page is there by then. Counts the forms that it sent. */
  async function holdEnter(page: Page): Promise<number> {
    let sent = 0;
    const count = (request: Request) => {
      if (request.method() === 'POST') sent += 1;
    };
    page.on('request', count);
    const loaded = page.waitForEvent('load');
    await page.keyboard.down('Enter');
    await loaded;
    for (let again = 0; again < 5; again += 1) {
      await page.keyboard.down('Enter');
      // What was sent by that has begun before a page can be asked for.
      await page.evaluate(() => fetch(location.href).then((answer) => answer.text())).catch(() => undefined);
      await page.waitForLoadState('load');
    }
    await page.keyboard.up('Enter');
    page.off('request', count);
    return sent;
  }

  async function open(path: string, visitor: Visitor = 'owner') {
    const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
    await signIn(window, site, visitor);
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
    'arrows open the neighbours of a request that a pointer opened, wherever it pressed since',
    async () => {
      const { page, problems, close } = await open('/dashboard/request-log?range=all');
      const addresses = await page
        .locator('.row-link')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      const isOpen = (place: number) => page.waitForURL((url) => url.href.endsWith(addresses[place] ?? '?'));
      await page.locator('table.opens tbody tr').nth(1).click();
      await isOpen(1);
      await page.keyboard.press('ArrowDown');
      await isOpen(2);
      await page.keyboard.press('ArrowUp');
      await isOpen(1);
      await page.locator('.sheet h2').click();
      await page.keyboard.press('ArrowUp');
      await isOpen(0);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => document.activeElement?.matches('.row-link'));
      expect(await page.locator(':focus').getAttribute('href')).toBe(addresses[0] ?? '');
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
      await page.keyboard.press('Tab');
      const select = await focused(page);
      expect(select).toStartWith('select ');
      // Browsers that send a form by Enter on one of its choices tell it so.
      const loaded = page.waitForEvent('load');
      await page.evaluate(() => document.activeElement?.closest('form')?.requestSubmit());
      await loaded;
      expect(await focused(page)).toBe(select);
      await tabTo(page, 'button', /^Dismiss|^Close/);
      await page.keyboard.press('Enter');
      expect(await page.locator('.toast').count()).toBe(0);
      expect(await page.evaluate(() => document.activeElement?.localName)).toBe('main');
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );

  test(
    'what is sent by Enter is sent once, however long it is held down, and no other row has the focus then',
    async () => {
      const { services } = site.running;
      const { id } = await personOf(site, resident);
      await transact(services, async (work) => {
        for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) {
          await startSession(work, id, {
            ...{ method: 'password', userAgent: null, address, host: null, replacedToken: undefined },
          });
        }
      });
      const { page, problems, close } = await open('/dashboard/settings/security', 'resident');
      const sessions = () => listSessions(onlyOf(id), services.storage.db, services.clock.nowMs());
      const before = await sessions();
      await page.locator('form[action$="/end"] button').nth(1).focus();
      expect(await holdEnter(page)).toBe(1);
      expect(await sessions()).toHaveLength(before.length - 1);
      expect(await focused(page)).not.toStartWith('button');
      await page.goto(`${site.url}/dashboard/settings`);
      await tabTo(page, 'input', /^Your name/);
      expect(await holdEnter(page)).toBe(1);
      expect(await focused(page)).toBe('input name');
      expect(problems).toEqual([]);
      await close();
    },
    timeoutMs,
  );
});
