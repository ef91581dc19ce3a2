/**
 * `npm run screenshots`: a picture of every page, or of those whose names hold an argument, at both widths and in both
 * themes. With `--demo` the pages of the dashboard with the demonstration's data, as somebody who owns the platform, an
 * organisation, or nothing: `--rows 100000`.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { TestSluice } from '../support/sluice.ts';
import { launchNamed, openWindow, themes, type Width, widths } from './browser.ts';
import { takeDemoPictures } from './demo-pictures.ts';
import { type OpenedRow, openedRows } from './opened.ts';
import { addressOf, type PageRow, pages } from './pages.ts';
import { takePicture } from './picture.ts';
import { signIn, startSite, type Visitor } from './site.ts';

type Pictured = PageRow & Partial<Pick<OpenedRow, 'open' | 'width'>>;

const folder = resolve(import.meta.dirname, '../../screenshots');

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { demo: { type: 'boolean', default: false }, rows: { type: 'string', default: '100000' } },
});
const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part));
const rows: readonly Pictured[] = [...pages, ...openedRows].filter(({ name }) => isWanted(name));

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  await takeAll();
} catch (thrown) {
  say(thrown instanceof Error ? thrown.message : String(thrown));
  process.exitCode = 1;
}

async function takeAll(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (values.demo) {
    const count = await takeDemoPictures({ folder, isWanted, rows: Number(values.rows), say });
    say(`${count} pictures are in ${folder}`);
    return;
  }
  if (rows.length === 0) throw new Error(`No page's name holds ${wanted.join(' or ')}.`);
  const browser = await launchNamed();
  try {
    const site = await startSite();
    try {
      await takeThose({ browser, site });
    } finally {
      await site.stop();
    }
  } finally {
    await browser.close();
  }
}

async function takeThose({ browser, site }: Omit<Studio, 'signedIn'>): Promise<void> {
  for (const visitor of new Set(rows.map((row) => row.as ?? 'nobody'))) {
    const signedIn = await enter(browser, site, visitor);
    for (const row of rows.filter((each) => (each.as ?? 'nobody') === visitor)) {
      await takeAllOf(row, { browser, site, signedIn });
    }
  }
  const count = rows.reduce((sum, row) => sum + widthsOf(row).length * themes.length, 0);
  say(`${count} pictures are in ${folder}`);
}

async function enter(browser: Browser, site: TestSluice, visitor: Visitor) {
  const window = await openWindow(browser, { site: site.url, width: 1440, theme: 'light' });
  await signIn(window, site, visitor);
  const state = await window.context.storageState();
  await window.close();
  return state;
}

interface Studio {
  readonly browser: Browser;
  readonly site: TestSluice;
  readonly signedIn: BrowserContextOptions['storageState'];
}

function widthsOf({ width }: Pictured): readonly Width[] {
  return width === undefined ? widths : [width];
}

async function takeAllOf(row: Pictured, { browser, site, signedIn }: Studio): Promise<void> {
  for (const width of widthsOf(row)) {
    for (const theme of themes) {
      const window = await openWindow(browser, { site: site.url, width, theme, signedIn });
      const path = join(folder, `${row.name}-${width}-${theme}.png`);
      await takePicture(window, {
        address: await addressOf(row, site),
        path,
        ...('open' in row && { open: row.open }),
      });
      for (const problem of window.problems) say(`${row.name}: ${problem}`);
    }
  }
}
