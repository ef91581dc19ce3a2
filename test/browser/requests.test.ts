/** The request log under a hand: new requests by themselves, rows by the keyboard, the sheet, and what a reader who scrolled is spared. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { signIn, startSite } from './site.ts';

describeInBrowser('the request log', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(async () => {
    await site?.stop();
  });

  async function openLog() {
    const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
    await signIn(window, site, 'owner');
    const live = window.page.waitForResponse((answer) => answer.url().includes('/request-log/live'));
    await window.page.goto(`${site.url}/dashboard/request-log`, { waitUntil: 'load' });
    await live;
    return window;
  }

  async function send(): Promise<void> {
    const answer = await site.post('/v1/chat/completions', {
      model: 'double-1',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await answer.text();
  }

  test('shows a request that was sent meanwhile, without loading anew, unless it is paused', async () => {
    const { page, problems, close } = await openLog();
    const rows = page.locator('table.opens tbody tr');
    const before = await rows.count();
    await send();
    await page.waitForFunction(
      (count) => document.querySelectorAll('table.opens tbody tr').length > count,
      before,
    );
    const summary = page.locator('.histogram figcaption');
    await summary.getByText(`${before + 1} requests, 0 failed`).waitFor();
    const toggle = page.locator('[data-tail]');
    await page.keyboard.press('l');
    expect(await toggle.getAttribute('aria-pressed')).toBe('false');
    await send();
    const more = page.locator('[data-tail-new]');
    await more.waitFor({ state: 'visible' });
    expect(await more.textContent()).toBe('1 new request');
    expect(await rows.count()).toBe(before + 1);
    await more.click();
    expect(await rows.count()).toBe(before + 2);
    expect(problems).toEqual([]);
    await close();
  });

  test('is live again by its button after it was refused, and says so only once it is', async () => {
    const { page, close } = await openLog();
    const toggle = page.locator('[data-tail]');
    await page.route('**/request-log/live*', (route) => route.fulfill({ status: 429 }));
    await page.reload();
    await toggle.getByText('Not live').waitFor();
    // Refused again: it is not told to be live.
    const refused = page.waitForResponse((answer) => answer.url().includes('/request-log/live'));
    await toggle.click();
    await refused;
    expect(await toggle.textContent()).toBe('Not live');
    await page.unroute('**/request-log/live*');
    await toggle.click();
    await toggle.getByText('Live', { exact: true }).waitFor();
    await close();
  });

  test('offers what it missed without a number, since it has not counted it', async () => {
    const { page, close } = await openLog();
    const paused = Promise.withResolvers<void>();
    await page.route('**/request-log/live*', async (route) => {
      await paused.promise;
      await route.fulfill({ contentType: 'text/event-stream', body: 'data: {"isBehind":true}\n\n' });
    });
    await page.reload();
    await page.keyboard.press('l');
    paused.resolve();
    const more = page.locator('[data-tail-new]');
    await more.waitFor({ state: 'visible' });
    expect(await more.textContent()).toBe('New requests');
    await close();
  });

  test('goes from row to row by the arrows, opens one by Enter, and back', async () => {
    const { page, problems, close } = await openLog();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard/request-log/*');
    const sheet = page.locator('.sheet');
    await sheet.getByRole('heading', { level: 2 }).waitFor();
    expect(await page.locator('tr.chosen').count()).toBe(1);
    await sheet.getByRole('link', { name: 'Close' }).click();
    await page.waitForURL('**/dashboard/request-log');
    expect(problems).toEqual([]);
    await close();
  });

  test('filters and opens without a script', async () => {
    const window = await openWindow({ site: site.url, width: 390, theme: 'dark' });
    await signIn(window, site, 'owner');
    const scriptless = await openWindow({
      ...{ site: site.url, width: 390, theme: 'dark', scripts: false },
      signedIn: await window.context.storageState(),
    });
    await scriptless.page.goto(`${site.url}/dashboard/request-log?status=ok`);
    await scriptless.page.locator('.row-link').first().click();
    await scriptless.page.waitForURL('**/dashboard/request-log/*');
    expect(await scriptless.page.locator('.sheet').isVisible()).toBe(true);
    await scriptless.close();
    await window.close();
  });
});
