import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';
import { legalNames, openLegalTexts, renderMarkdown } from './legal-texts.ts';

describe('Markdown of a file', () => {
  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['a <b onclick="x()">b</b>', '<p>a &lt;b onclick=&quot;x()&quot;&gt;b&lt;/b&gt;</p>\n'],
    ['[x](javascript:alert(1))', '<p>x</p>\n'],
    ['[x](//other.test)', '<p>x</p>\n'],
    ['[x](</a"b>)', '<p><a href="/a&quot;b">x</a></p>\n'],
    ['![x](https://other.test/a.png)', '<p>x</p>\n'],
    ['[x](/legal/terms "t")', '<p><a href="/legal/terms">x</a></p>\n'],
  ])('%p gives no markup of its own', (text, html) => expect(renderMarkdown(text)).toBe(html));
});

describe('the texts', () => {
  const folders: string[] = [];
  const folderWith = (files: Record<string, string>): string => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-legal-'));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  };
  const text = (date: string, title = 'Ours') =>
    `---\ntitle: ${title}\nversion: 2\ndate: ${date}\n---\nHello\n`;
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  test('are templates until the operator puts their own in their place', () => {
    const legal = openLegalTexts(folderWith({ 'dpa.md': text('2031-05-01') }));
    expect(legal.find('dpa', 'en')).toMatchObject({ title: 'Ours', version: '2', isTemplate: false });
    expect(legal.find('terms', 'en').isTemplate).toBe(true);
    expect(legal.version).toBe(openLegalTexts(null).version);
  });

  test('that people accept have the version of the newest', () => {
    const legal = openLegalTexts(
      folderWith({ 'aup.md': text('2031-05-01'), 'terms.md': text('2031-04-30') }),
    );
    expect(legal.version).toBe('2031-05-01');
  });

  test('are in the reader’s language where there is a translation', () => {
    const files = { 'terms.md': text('2031-05-01'), 'terms.de.md': text('2031-05-01', 'Unsere') };
    const legal = openLegalTexts(folderWith(files));
    expect(legal.find('terms', 'de')).toMatchObject({ title: 'Unsere', language: 'de' });
    expect(legal.find('terms', 'fr')).toMatchObject({ title: 'Ours', language: 'en' });
  });

  test.each([
    ['without a head', '# Terms\n', 'it has to begin with a head'],
    ['with a day that is none', text('2031-02-30'), 'the head, date: '],
    ['with a head that is no YAML', '---\ntitle: [\n---\n', 'the head is no YAML'],
    [
      'with a word that is not known',
      '---\ntitle: a\nversion: 1\ndate: 2031-01-01\nx: 1\n---\n',
      'the head: ',
    ],
    ['that is too large', `${text('2031-01-01')}${'x'.repeat(262_144)}`, 'larger than'],
  ])('%s are refused by the name of the file', (_, content, why) => {
    const folder = folderWith({ 'terms.md': content });
    expect(() => openLegalTexts(folder)).toThrow(why);
    expect(() => openLegalTexts(folder)).toThrow('terms.md');
  });

  test('of a folder that is not there are refused', () => {
    expect(() => openLegalTexts('/nowhere/at/all')).toThrow('there is no such folder');
  });
});

describe('a page', () => {
  let portal: TestPortal;
  withTestPortal((opened) => {
    ({ portal } = opened);
  });

  test.each(legalNames)('%s shows version and day, that it is a template, and what it is', async (name) => {
    const { status, text } = await portal.ask(`/legal/${name}`);
    expect(status).toBe(200);
    expect(text).toContain('Version 1, in force since 22 Nov 2026');
    expect(text).toContain('SLUICE_LEGAL_DIR');
    expect(text).toContain('<meta name="description"');
    expect(text).not.toContain('no translation');
  });

  test('says to a reader of another language that it is in English', async () => {
    const { text } = await portal.ask('/legal/terms', { headers: { 'accept-language': 'de' } });
    expect(text).toContain('Von diesem Text gibt es keine Übersetzung');
    expect(text).toContain('<h1 lang="en">');
  });
});
