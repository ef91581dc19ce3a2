/** What people read: every kind in every language, as text and as HTML. */
import { describe, expect, test } from 'bun:test';
import { languages } from '../base/language.ts';
import { mailKinds, readNews } from './mail-kinds.ts';
import { renderMail } from './render-mail.tsx';
import { sampleMails } from './testing/sample-mails.ts';

const service = { name: 'Sluice', url: 'https://sluice.test' };

test('there is a sample of every kind', () => {
  expect(sampleMails.map(({ kind }): string => kind)).toEqual(Object.keys(mailKinds));
});

describe.each([...languages])('in %s', (language) => {
  test.each(sampleMails.map((news) => [news.kind, news] as const))(
    '%s tells its facts in both forms',
    async (_kind, news) => {
      const { subject, text, html } = await renderMail(news, { language, service });
      const links = Object.values(news.facts).filter((fact) => String(fact).startsWith('https:'));
      for (const form of [text, html]) {
        expect(form).toContain(subject);
        expect(form).toContain('Sluice');
        for (const link of links) expect(form).toContain(String(link));
        expect(form).not.toMatch(/undefined|\[object|NaN/);
      }
      expect(html).toStartWith(`<!doctype html><html lang="${language}">`);
      // So that a mail can hold it as it is.
      for (const line of html.split('\n')) expect(Buffer.byteLength(line)).toBeLessThan(998);
    },
  );

  test('the HTML asks nothing of any host and names no address but those it was given', async () => {
    for (const news of sampleMails) {
      const { html } = await renderMail(news, { language, service });
      expect(html).not.toMatch(/<(img|script|link|iframe|form|object)\b|url\(|@import/i);
      const hosts = [...html.matchAll(/\bhttps?:\/\/([^/"<\s]+)/g)].map(([, host]) => host);
      expect(new Set(hosts)).toEqual(new Set(['sluice.test']));
    }
  });
});

test('times are in the words of the language', async () => {
  const invitation = sampleMails.find(({ kind }) => kind === 'invitation') ?? sampleMails[0];
  if (invitation === undefined) throw new Error('There are no samples.');
  const texts = await Promise.all(
    languages.map(async (language) => (await renderMail(invitation, { language, service })).text),
  );
  expect(texts.map((text) => /7\s\p{L}+/u.exec(text)?.[0].replace(/\s/, ' '))).toEqual([
    '7 days',
    '7 Tage',
    '7 jours',
    '7 días',
  ]);
});

test('what somebody called themself is neither markup nor a link nor a second line', async () => {
  const news = readNews('invitation', {
    link: 'https://sluice.test/invite/abc',
    lifetimeMs: 3_600_000,
    inviter: 'Win <b>now</b>\r\nBcc: all@evil.example https://evil.example',
    organisation: 'o'.repeat(500),
  });
  const { subject, text, html } = await renderMail(news, { language: 'en', service });
  for (const form of [subject, text, html]) expect(form).not.toMatch(/evil\.example|all@evil|https:\/\/evil/);
  expect(subject).not.toMatch(/[\r\n]/);
  expect(subject.length).toBeLessThan(250);
  expect(html).not.toContain('<b>');
  expect(html).toContain('Win &lt;b&gt;now&lt;');
});

test('a link that is none is refused, and so is a kind that nobody knows', () => {
  expect(() => readNews('reset_password', { link: 'javascript:alert(1)', lifetimeMs: 1 })).toThrow();
  expect(() => readNews('reset_password', { lifetimeMs: 1 })).toThrow();
  expect(() => readNews('no_such_kind', {})).toThrow();
});
