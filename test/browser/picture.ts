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
  await window.page.evaluate(async () => {
    await document.fonts.ready;
    // What opens fades in, also where nothing moves; what turns for ever is not waited for.
    const ending = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  await window.page.screenshot({ path, fullPage: true });
  await window.close();
}
