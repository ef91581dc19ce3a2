/** What opens, what is said and what comes of an action, at a desk and on a phone, in both themes: everybody can read it, and it fits. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { BrowserContextOptions } from 'playwright-core';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser, themes, widths } from './browser.ts';
import { bringAxe, findBarriers, findOverflow } from './examine.ts';
import { openedRows } from './opened.ts';
import { addressOf } from './pages.ts';
import { signIn, startSite, type Visitor } from './site.ts';

const timeoutMs = 120_000;

describeInBrowser('what pages show once something was pressed', (openWindow) => {
  let site: TestSluice;
  const sessions = new Map<Visitor, BrowserContextOptions['storageState']>();
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  async function sessionOf(visitor: Visitor) {
    const known = sessions.get(visitor);
    if (known !== undefined) return known;
    const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
    await signIn(window, site, visitor);
    const state = await window.context.storageState();
    await window.close();
    sessions.set(visitor, state);
    return state;
  }

  for (const row of openedRows) {
    test.each(row.width === undefined ? [...widths] : [row.width])(
      `${row.name} at %d`,
      async (width) => {
        const signedIn = await sessionOf(row.as ?? 'nobody');
        const window = await openWindow({ site: site.url, width, theme: 'light', signedIn });
        const { page } = window;
        await page.goto(await addressOf(row, site), { waitUntil: 'load' });
        await row.open(page);
        await bringAxe(page);
        for (const theme of themes) {
          await page.emulateMedia({ colorScheme: theme });
          const found = { barriers: await findBarriers(page), overflow: await findOverflow(page) };
          expect({ theme, ...found }).toEqual({ theme, barriers: [], overflow: [] });
        }
        await window.close();
      },
      timeoutMs,
    );
  }
});
