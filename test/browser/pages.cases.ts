/** A page in both themes, at a desk and on a phone: what everybody must be able to read, and how heavy it is. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser, widths } from './browser.ts';
import { readFirstPaint, type Weight, weigh } from './examine.ts';
import { addressOf, type PageRow } from './pages.ts';
import { startSite } from './site.ts';
import { lookAt, VisitorWindows } from './windows.ts';

const mostScriptBytes = 60 * 1024;
/** The longest page is looked at four times, on a machine that may have other work. */
const pageTimeoutMs = 120_000;

export function pageCases(title: string, rows: readonly PageRow[]): void {
  describeInBrowser(title, (openWindow) => {
    let site: TestSluice;
    let windows: VisitorWindows;
    const measured: { name: string; firstPaintMs: number; weight: Weight }[] = [];

    beforeAll(async () => {
      site = await startSite();
      windows = new VisitorWindows(openWindow, site);
    });
    afterAll(async () => {
      await windows?.close();
      await site?.stop();
      process.stderr.write(`\n${measured.map(writeMeasure).join('\n')}\n`);
    });

    for (const row of rows) {
      test(
        `${row.name}: everybody can read it, it fits, and nothing comes from elsewhere`,
        async () => {
          const window = await windows.toLookIn(row.as ?? 'nobody', 390);
          const { page, problems } = window;
          const readWeight = weigh(window);
          const answer = await page.goto(await addressOf(row, site), { waitUntil: 'load' });
          expect(answer?.status()).toBe(row.status ?? 200);
          const weight = await readWeight();
          measured.push({ name: row.name, firstPaintMs: await readFirstPaint(page), weight });
          expect(await lookAt(window, widths.toReversed())).toEqual([]);
          expect(problems).toEqual([]);
          expect(weight.script).toBeLessThanOrEqual(mostScriptBytes);
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
