/** Going through a page by keyboard alone, as somebody does who has no pointer. */
import type { Page } from 'playwright-core';

/** More than any page has stops. */
const mostStops = 60;

/**
 * Presses Tab until the focus is there; not at all where it is already.
 * @param element its role, else the name of its tag.
 * @param name of its label or, without one, its own words.
 */
export async function tabTo(page: Page, element: string, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let stops = 0; stops <= mostStops; stops += 1) {
    if (stops > 0) await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      const labels = activeElement instanceof HTMLInputElement ? [...(activeElement.labels ?? [])] : [];
      const label = labels.map(({ textContent }) => textContent).join(' ');
      return {
        element: activeElement?.getAttribute('role') ?? activeElement?.localName ?? '',
        name: (
          activeElement?.getAttribute('aria-label') ??
          (label || activeElement?.textContent) ??
          ''
        ).trim(),
      };
    });
    if (focused.element === element && name.test(focused.name)) return;
    seen.push(`${focused.element} ${focused.name}`);
  }
  throw new Error(`No ${element} ${name} among: ${seen.join(', ')}`);
}
