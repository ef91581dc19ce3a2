/** A picture of a whole page, once its fonts are there and what is to be seen of it is open. */
import type { Window } from './browser.ts';
import type { OpenedRow } from './opened.ts';

/** Closes the window. */
export async function takePicture(
  window: Window,
  {
    address,
    path,
    open,
  }: { readonly address: string; readonly path: string; readonly open?: OpenedRow['open'] },
): Promise<void> {
  await window.page.goto(address, { waitUntil: 'load' });
  await open?.(window.page);
  await window.page.evaluate(() => document.fonts.ready.then(() => undefined));
  await window.page.screenshot({ path, fullPage: true });
  await window.close();
}
