/** Every mail as a program shows it that knows styles: what everybody must be able to read, in both themes, wide and narrow. */
import { beforeAll, expect, test } from 'bun:test';
import { languages } from '../../src/base/language.ts';
import { renderMail } from '../../src/notifications/render-mail.tsx';
import { sampleMails } from '../../src/notifications/testing/sample-mails.ts';
import { describeInBrowser, type Window } from './browser.ts';
import { lookAt } from './windows.ts';

const site = 'https://sluice.test';
const timeoutMs = 120_000;

describeInBrowser('every mail', (openWindow) => {
  let window: Window;
  const asked: string[] = [];
  beforeAll(async () => {
    window = await openWindow({ site, width: 390, theme: 'light' });
    window.page.on('request', (request) => asked.push(request.url()));
  });

  // Each language once and more, each kind once: the words differ, the template does not.
  for (const [at, news] of sampleMails.entries()) {
    const language = languages[at % languages.length] ?? 'en';
    test(
      `${news.kind} in ${language}: everybody can read it, it fits, and it asks nobody for anything`,
      async () => {
        const { html } = await renderMail(news, { language, service: { name: 'Sluice', url: site } });
        const { page, problems } = window;
        window.forgetProblems();
        asked.length = 0;
        await page.setContent(html, { waitUntil: 'load' });
        expect(await lookAt(window)).toEqual([]);
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(ground).toBe('rgb(12, 18, 19)');
        expect(problems).toEqual([]);
        expect(asked).toEqual([]);
      },
      timeoutMs,
    );
  }
});
