/** What pages do under a hand: the islands, the browser's own menus and dialogs, and all of it without a script. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser, type Theme, type Width } from './browser.ts';
import { startSite } from './site.ts';

describeInBrowser('a page under a hand', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(async () => {
    await site?.stop();
  });

  async function open(part: string, options: { width?: Width; theme?: Theme } = {}) {
    const window = await openWindow({ site: site.url, width: 1440, theme: 'light', ...options });
    await window.page.goto(`${site.url}/dev/ui?part=${part}`, { waitUntil: 'load' });
    return window;
  }

  test('changes its theme at once, and the next page begins with it', async () => {
    const { page, problems, close } = await open('text');
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    const remembered = page.waitForResponse((answer) => answer.url().endsWith('/preferences'));
    const button = page.locator('.top > .theme-switch button:not([hidden])');
    await button.click();
    await remembered;
    const again = page.waitForResponse((answer) => answer.url().endsWith('/preferences'));
    await button.click();
    await again;
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await ground()).not.toBe(light);
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await ground()).not.toBe(light);
    expect(problems).toEqual([]);
    await close();
  });

  test('jumps by its palette, with the keyboard alone', async () => {
    const { page, problems, close } = await open('text');
    await page.keyboard.press('Control+k');
    const palette = page.locator('#palette');
    expect(await palette.isVisible()).toBe(true);
    await page.keyboard.type('nothing has this');
    expect(await palette.getByText('Nothing has this name').isVisible()).toBe(true);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SÚPPORT');
    expect(await palette.getByRole('option').allInnerTexts()).toEqual(['support-bot\nKey']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dev/ui?part=sheet');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    expect(await palette.isVisible()).toBe(false);
    expect(problems).toEqual([]);
    await close();
  });

  test('keeps what is typed as the palette opens', async () => {
    const { page, close } = await open('text');
    const typed = await page.evaluate(async () => {
      const palette = document.querySelector('#palette');
      const field = palette?.querySelector('input');
      const opened = new Promise((resolve) => palette?.addEventListener('toggle', resolve, { once: true }));
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
      if (field) field.value = 's';
      await opened;
      return field?.value;
    });
    expect(typed).toBe('s');
    await close();
  });

  test('goes from row to row by the arrows', async () => {
    const { page, close } = await open('data');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await page.keyboard.press('ArrowDown');
    // The chosen row is where the keys begin.
    const first = await focused();
    await page.keyboard.press('ArrowDown');
    const second = await focused();
    await page.keyboard.press('ArrowUp');
    expect([first, second, await focused()]).toEqual(['gpt-5.1', 'qwen3-235b', 'gpt-5.1']);
    await page.keyboard.press('Enter');
    await page.waitForURL('**row=14%3A32%3A04');
    await close();
  });

  test('says of a chart what its table says, under the pointer and by the keys', async () => {
    const { page, problems, close } = await open('chart');
    const chart = page.locator('.chart').first();
    await chart.locator('[data-column="2"] .touch').hover();
    const tip = chart.locator('.chart-tip');
    expect(await tip.textContent()).toContain('Mon 26 Oct');
    const total = await chart.locator('tbody tr:nth-child(3) td:last-child').textContent();
    expect(await tip.textContent()).toContain(total ?? 'a total');
    await chart.locator('.chart-plot').focus();
    await page.keyboard.press('ArrowRight');
    expect(await tip.textContent()).toContain('Tue 27 Oct');
    await page.keyboard.press('Escape');
    expect(await tip.count()).toBe(0);
    await page.keyboard.press('t');
    expect(await chart.locator('table').isVisible()).toBe(true);
    expect(problems).toEqual([]);
    await close();
  });

  test('opens its dialogs and menus, and closes them', async () => {
    const { page, problems, close } = await open('pressed');
    await page.locator('button[commandfor=revoke]').first().click();
    const dialog = page.getByRole('dialog', { name: 'Revoke support-bot' });
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'State failed' }).click();
    const menu = page.locator('#menu-state');
    expect(await menu.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await menu.isVisible()).toBe(false);
    expect(problems).toEqual([]);
    await close();
  });

  test('has its side bar as a sheet on a phone', async () => {
    const { page, close } = await open('text', { width: 390 });
    const link = page.locator('.side').getByRole('link', { name: 'Keys' });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    expect(await link.isVisible()).toBe(true);
    await page.mouse.click(370, 600);
    expect(await link.isVisible()).toBe(false);
    await close();
  });

  test('copies, and shows a password that is typed', async () => {
    const { page, context, close } = await open('pressed');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the token' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('sluice_wCdH…Evtl');
    await page.goto(`${site.url}/dev/ui?part=form`);
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.getByRole('textbox', { name: 'Password' }).getAttribute('type')).toBe('text');
    // What is wrong has the focus, so that it is read first.
    await page.reload();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('alert');
    await close();
  });
});
