/** What opens, what is said and what comes of an action, at a desk and on a phone, in both themes: everybody can read it, and it fits. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser, widths } from './browser.ts';
import { openedRows } from './opened.ts';
import { addressOf } from './pages.ts';
import { startSite } from './site.ts';
import { lookAt, VisitorWindows } from './windows.ts';

const timeoutMs = 120_000;

describeInBrowser('what pages show once something was pressed', (openWindow) => {
  let site: TestSluice;
  let windows: VisitorWindows;
  beforeAll(async () => {
    site = await startSite();
    windows = new VisitorWindows(openWindow, site);
  });
  afterAll(async () => {
    await windows?.close();
    await site?.stop();
  });

  for (const row of openedRows) {
    test.each(row.width === undefined ? [...widths] : [row.width])(
      `${row.name} at %d`,
      async (width) => {
        const window = await windows.of(row.as ?? 'nobody', width);
        const { page } = window;
        await page.goto(await addressOf(row, site), { waitUntil: 'load' });
        await row.open(page);
        expect(await lookAt(window, [width])).toEqual([]);
      },
      timeoutMs,
    );
  }
});
