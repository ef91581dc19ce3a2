/** One window for each visitor of a site, for checks that look at many pages: to make one takes longer than most looks. */

import type { TestSluice } from '../support/sluice.ts';
import { type OpenWindow, themes, type Width, type Window, widths } from './browser.ts';
import { bringAxe, findBarriers, findOverflow } from './examine.ts';
import { signIn, type Visitor } from './site.ts';

export class VisitorWindows {
  readonly #openWindow: OpenWindow;
  readonly #site: TestSluice;
  readonly #opened = new Map<Visitor, Entered>();

  constructor(openWindow: OpenWindow, site: TestSluice) {
    this.#openWindow = openWindow;
    this.#site = site;
  }

  /** The visitor's window, of that width and light, as the page before left it: for pages that are only looked at. */
  async toLookIn(visitor: Visitor, width: Width): Promise<Window> {
    const { window } = this.#opened.get(visitor) ?? (await this.#enter(visitor));
    await this.#leave(window);
    return await this.#turnTo(window, width);
  }

  /**
   * To where nothing runs, so that nothing of the page before counts against the next, and yet on the site: for one of
   * another site, such as an empty one, the browser begins a process anew, and then another for the next page, of which
   * each compiles all scripts again.
   */
  async #leave({ page }: Window): Promise<void> {
    await page.goto(`${this.#site.url}/health`);
  }

  async #turnTo(window: Window, width: Width): Promise<Window> {
    await window.resize(width);
    await window.page.emulateMedia({ colorScheme: 'light' });
    window.forgetProblems();
    return window;
  }

  /** The visitor's window as it was when they had just signed in, of that width and light; it keeps nothing in a cache. */
  async of(visitor: Visitor, width: Width): Promise<Window> {
    const { window, cookies } = this.#opened.get(visitor) ?? (await this.#enter(visitor));
    const { page, context } = window;
    // A page that still runs without its cookies would be refused what it asks for.
    await this.#leave(window);
    await page.evaluate(() => {
      sessionStorage.clear();
      localStorage.clear();
    });
    await context.clearCookies();
    await context.addCookies(cookies);
    return await this.#turnTo(window, width);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ window }) => window.close()));
  }

  async #enter(visitor: Visitor): Promise<Entered> {
    const window = await this.#openWindow({ site: this.#site.url, width: 1440, theme: 'light' });
    await signIn(window, this.#site, visitor);
    const devTools = await window.context.newCDPSession(window.page);
    await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
    const entered = { window, cookies: await window.context.cookies() };
    this.#opened.set(visitor, entered);
    return entered;
  }
}

interface Entered {
  readonly window: Window;
  readonly cookies: Awaited<ReturnType<Window['context']['cookies']>>;
}

/** What keeps somebody from reading a loaded page, or is too wide, at those widths in both themes; empty when nothing. */
export async function lookAt(window: Window, at: readonly Width[] = widths) {
  const { page } = window;
  const found: { width: Width; theme: string; barriers: string[]; overflow: string[] }[] = [];
  await bringAxe(page);
  for (const width of at) {
    await window.resize(width);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      // Themes differ in colours alone: what breaks another rule in one does so in both.
      const barriers = await findBarriers(page, theme === themes[0] ? 'all' : 'colours');
      const overflow = await findOverflow(page);
      if (barriers.length + overflow.length > 0) found.push({ width, theme, barriers, overflow });
    }
  }
  return found;
}
