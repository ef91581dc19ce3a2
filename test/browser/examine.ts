/** What a page is held to that no unit test sees: that everybody can read it, that it fits, and how heavy it is. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { run } from 'axe-core';
import type { Page, Request } from 'playwright-core';
import type { Window } from './browser.ts';

const rules = {
  /** Those of WCAG 2.2 at levels A and AA, by the names that axe has for them. */
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  /** Those of them that look at colours. */
  colours: ['color-contrast', 'link-in-text-block'],
};

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Gives a loaded page the library that looks for barriers: once a page, because it is long. */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(axeSource);
}

/**
 * One line an element that breaks a rule. Neither style sheets nor media are loaded for it: of these rules only that of
 * sound which plays by itself wants that, and nothing here plays. A frame holds a mail, which may run no script, and mails are looked at by themselves.
 */
export function findBarriers(page: Page, which: keyof typeof rules = 'all'): Promise<string[]> {
  return page.evaluate(async (runOnly) => {
    const axe: { run: typeof run } = Reflect.get(globalThis, 'axe');
    const { violations } = await axe.run('html', {
      runOnly,
      resultTypes: ['violations'],
      preload: false,
      iframes: false,
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
  }, rules[which]);
}

/** The elements that make a page wider than its window, outermost first; none when it is as wide as that. */
export function findOverflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 0.5,
    );
    return [
      `${scrollWidth} of ${clientWidth} pixels`,
      ...wide.slice(0, 5).map((each) => each.outerHTML.slice(0, 120)),
    ];
  });
}

const kinds = ['document', 'script', 'stylesheet', 'font', 'image'] as const;

/** Bytes as they come over the network to who has nothing in a cache, headers not counted. */
export type Weight = Readonly<Record<(typeof kinds)[number], number>>;

/** Watches from now on; ask for the weight when the page has loaded. */
export function weigh({ page }: Window): () => Promise<Weight> {
  const sizes: Promise<readonly [kind: string, bytes: number]>[] = [];
  const listen = (request: Request) => {
    sizes.push(bytesOf(request).then((bytes) => [request.resourceType(), bytes]));
  };
  page.on('requestfinished', listen);
  return async () => {
    page.off('requestfinished', listen);
    const weight = { document: 0, script: 0, stylesheet: 0, font: 0, image: 0 };
    for (const [type, bytes] of await Promise.all(sizes)) {
      const kind = kinds.find((each) => each === type);
      if (kind !== undefined) weight[kind] += bytes;
    }
    return weight;
  };
}

/** Of what comes from the browser's cache, as many as its head says that came once. */
async function bytesOf(request: Request): Promise<number> {
  const { responseBodySize } = await request.sizes();
  if (responseBodySize > 0) return responseBodySize;
  const answer = await request.response();
  return Number((await answer?.headerValue('content-length')) ?? 0);
}

/** Since the navigation began, in milliseconds. */
export function readFirstPaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => {
          const paint = list.getEntriesByName('first-contentful-paint')[0];
          if (paint !== undefined) resolve(paint.startTime);
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}
