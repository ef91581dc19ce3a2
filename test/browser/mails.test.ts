/** Every mail as a program shows it that knows styles: what everybody must be able to read, in both themes, wide and narrow. */
import { expect, test } from 'bun:test';
import { languages } from '../../src/base/language.ts';
import { renderMail } from '../../src/notifications/render-mail.tsx';
import { sampleMails } from '../../src/notifications/testing/sample-mails.ts';
import { describeInBrowser, themes, widths } from './browser.ts';
import { bringAxe, findBarriers, findOverflow } from './examine.ts';

const site = 'https://sluice.test';
const timeoutMs = 120_000;

describeInBrowser('every mail', (openWindow) => {
  // Each language once and more, each kind once: the words differ, the template does not.
  for (const [at, news] of sampleMails.entries()) {
    const language = languages[at % languages.length] ?? 'en';
    test(
      `${news.kind} in ${language}: everybody can read it, it fits, and it asks nobody for anything`,
      async () => {
        const { html } = await renderMail(news, { language, service: { name: 'Sluice', url: site } });
        const window = await openWindow({ site, width: 390, theme: 'light' });
        const { page, problems } = window;
        const asked: string[] = [];
        page.on('request', (request) => asked.push(request.url()));
        await page.setContent(html, { waitUntil: 'load' });
        await bringAxe(page);
        for (const width of widths) {
          await window.resize(width);
          for (const theme of themes) {
            await page.emulateMedia({ colorScheme: theme });
            const found = { barriers: await findBarriers(page), overflow: await findOverflow(page) };
            expect({ width, theme, ...found }).toEqual({ width, theme, barriers: [], overflow: [] });
          }
        }
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(ground).toBe('rgb(12, 18, 19)');
        expect(problems).toEqual([]);
        expect(asked).toEqual([]);
        await window.close();
      },
      timeoutMs,
    );
  }
});
