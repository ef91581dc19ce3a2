/** A picture of a whole page, once its fonts are there. */
import type { Window } from './browser.ts';

/** Closes the window. */
export async function takePicture(
  window: Window,
  { address, path }: { readonly address: string; readonly path: string },
): Promise<void> {
  await window.page.goto(address, { waitUntil: 'load' });
  await window.page.evaluate(() => document.fonts.ready.then(() => undefined));
  await window.page.screenshot({ path, fullPage: true });
  await window.close();
}
