/** Chromium for tests: one a file, and a window of it that remembers whatever a page did wrong. */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

const chromiumName = 'SLUICE_TEST_CHROMIUM';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** A desk and a phone, in CSS pixels. */
export const widths = [1440, 390] as const;
export type Width = (typeof widths)[number];

export interface WindowOptions {
  /** The address of the only host that pages may ask. */
  readonly site: string;
  readonly width: Width;
  readonly theme: Theme;
  /** The first language of the browser; English when not given. */
  readonly language?: string;
  /** Whether pages may run scripts; they may when not given. */
  readonly scripts?: boolean;
  /** Cookies of somebody who signed in, as another window's `context.storageState()` gave them. */
  readonly signedIn?: BrowserContextOptions['storageState'];
}

/** A browser of its own: nothing in its cache, and only the cookies that it was given. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors on the console, scripts that threw, what the policy of contents held back, and questions to other hosts. */
  readonly problems: readonly string[];
  /** For a window that goes on to another page. */
  forgetProblems(): void;
  resize(width: Width): Promise<void>;
  close(): Promise<void>;
}

/** Registers the suite with a browser that is opened for it; without Chromium it is skipped by name, and fails when `CI` is `true`. */
export function describeInBrowser(title: string, suite: (openWindow: OpenWindow) => void): void {
  const program = process.env[chromiumName];
  if (program) {
    describe(title, () => {
      let browser: Browser | undefined;
      beforeAll(async () => {
        browser = await launch(program);
      });
      afterAll(async () => {
        await browser?.close();
      });
      suite((options) => {
        if (browser === undefined) throw new Error('Windows open inside of tests and hooks.');
        return openWindow(browser, options);
      });
    });
    return;
  }
  const need = `${title} (needs ${chromiumName})`;
  const refuse: OpenWindow = () => {
    throw new Error(`${chromiumName} is not set.`);
  };
  if (process.env['CI'] === 'true') test(need, () => void refuse({ site: '', width: 1440, theme: 'light' }));
  else describe.skip(need, () => suite(refuse));
}

export type OpenWindow = (options: WindowOptions) => Promise<Window>;

/** @throws Error when there is no Chromium: for a command, which has nothing to skip. */
export function launchNamed(): Promise<Browser> {
  const program = process.env[chromiumName];
  if (!program)
    throw new Error(
      `There is no Chromium: install it (Debian: chromium-headless-shell) or set ${chromiumName}.`,
    );
  return launch(program);
}

const launch = (executablePath: string): Promise<Browser> => chromium.launch({ executablePath });

export async function openWindow(browser: Browser, options: WindowOptions): Promise<Window> {
  const { site, width, theme, language = 'en-GB', scripts = true, signedIn } = options;
  const context = await browser.newContext({
    viewport: sizeAt(width),
    colorScheme: theme,
    locale: language,
    javaScriptEnabled: scripts,
    // What moves is looked at when it has arrived.
    reducedMotion: 'reduce',
    ...(signedIn === undefined ? {} : { storageState: signedIn }),
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' || isOwnStatus(message.text(), message.location().url, page)) return;
    problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  context.on('request', (request) => {
    if (isElsewhere(request.url(), site)) problems.push(`asks another host: ${request.url()}`);
  });
  return {
    page,
    context,
    problems,
    forgetProblems: () => void problems.splice(0),
    resize: (to) => page.setViewportSize(sizeAt(to)),
    close: () => context.close(),
  };
}

const sizeAt = (width: Width) => ({ width, height: width === 390 ? 844 : 900 });

/** The browser calls it an error when the page itself was answered with 404, which a test may want. */
function isOwnStatus(text: string, url: string, page: Page): boolean {
  return text.startsWith('Failed to load resource: the server responded with a status') && url === page.url();
}

function isElsewhere(url: string, site: string): boolean {
  return /^(https?|wss?):/.test(url) && new URL(url).host !== new URL(site).host;
}
