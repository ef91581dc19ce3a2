/** A page in both themes, at a desk and on a phone: what everybody must be able to read, and how heavy it is. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { BrowserContextOptions } from 'playwright-core';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser, themes, widths } from './browser.ts';
import { bringAxe, findBarriers, findOverflow, readFirstPaint, type Weight, weigh } from './examine.ts';
import { addressOf, type PageRow } from './pages.ts';
import { signIn, startSite, type Visitor } from './site.ts';

const mostScriptBytes = 60 * 1024;
/** The longest page is looked at four times, on a machine that may have other work. */
const pageTimeoutMs = 120_000;

export function pageCases(title: string, rows: readonly PageRow[]): void {
  describeInBrowser(title, (openWindow) => {
    let site: TestSluice;
    const signedIn = new Map<Visitor, BrowserContextOptions['storageState']>();
    const measured: { name: string; firstPaintMs: number; weight: Weight }[] = [];

    beforeAll(async () => {
      site = await startSite();
    });
    afterAll(async () => {
      await site?.stop();
      process.stderr.write(`\n${measured.map(writeMeasure).join('\n')}\n`);
    });

    async function visitAs(visitor: Visitor = 'nobody') {
      const known = signedIn.get(visitor);
      if (known !== undefined) return known;
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      await signIn(window, site, visitor);
      const state = await window.context.storageState();
      await window.close();
      signedIn.set(visitor, state);
      return state;
    }

    for (const row of rows) {
      test(
        `${row.name}: everybody can read it, it fits, and nothing comes from elsewhere`,
        async () => {
          const window = await openWindow({
            site: site.url,
            width: 390,
            theme: 'light',
            signedIn: await visitAs(row.as),
          });
          const { page, problems } = window;
          const readWeight = weigh(window);
          const answer = await page.goto(await addressOf(row, site), { waitUntil: 'load' });
          expect(answer?.status()).toBe(row.status ?? 200);
          const weight = await readWeight();
          measured.push({ name: row.name, firstPaintMs: await readFirstPaint(page), weight });
          await bringAxe(page);
          for (const width of widths.toReversed()) {
            await window.resize(width);
            for (const theme of themes) {
              await page.emulateMedia({ colorScheme: theme });
              const found = {
                barriers: await findBarriers(page),
                overflow: await findOverflow(page),
              };
              expect({ width, theme, ...found }).toEqual({ width, theme, barriers: [], overflow: [] });
            }
          }
          expect(problems).toEqual([]);
          expect(weight.script).toBeLessThanOrEqual(mostScriptBytes);
          await window.close();
        },
        pageTimeoutMs,
      );
    }
  });
}

function writeMeasure({
  name,
  firstPaintMs,
  weight,
}: {
  name: PageRow['name'];
  firstPaintMs: number;
  weight: Weight;
}) {
  const { document, script, stylesheet, font } = weight;
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1).padStart(6)} KB`;
  return [
    name.padEnd(28),
    `first paint ${firstPaintMs.toFixed(0).padStart(5)} ms`,
    `page ${kilobytes(document)}`,
    `script ${kilobytes(script)}`,
    `style ${kilobytes(stylesheet)}`,
    `font ${kilobytes(font)}`,
  ].join('  ');
}
