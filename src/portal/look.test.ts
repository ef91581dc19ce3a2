import { describe, expect, test } from 'bun:test';
import { languages } from './languages/language.ts';
import { origin, type TestPortal, withTestPortal } from './testing/test-portal.ts';

const mostScriptBytes = 60 * 1024;

let portal: TestPortal;
withTestPortal((opened) => {
  ({ portal } = opened);
});

async function show(path: string, headers: Record<string, string> = {}) {
  const answer = await portal.app.request(`${origin}${path}`, { headers });
  return { answer, text: await answer.text() };
}

async function prefer(fields: Record<string, string>) {
  const body = new URLSearchParams(fields).toString();
  return await portal.app.request(`${origin}/preferences`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
  });
}

const scriptsOf = (text: string) =>
  [...text.matchAll(/<script type="module" src="([^"]+)"/g)].map(([, src]) => src ?? '');

describe('the language of a page', () => {
  test.each([
    [undefined, 'en'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['it, fr;q=0.4, es;q=0.7', 'es'],
    ['DE', 'de'],
    ['fr;q=0, pt', 'en'],
    [`${'x,'.repeat(9_000)}de`, 'en'],
  ])('of a browser that asks for %p is %s', async (accepted, language) => {
    const { text } = await show('/dev/ui', accepted === undefined ? {} : { 'accept-language': accepted });
    expect(text).toContain(`<html lang="${language}">`);
  });

  test('that was chosen wins, and an unknown one is not heard', async () => {
    const headers = { 'accept-language': 'de', cookie: 'sluice-language=fr' };
    expect((await show('/dev/ui', headers)).text).toContain('<html lang="fr">');
    const odd = { 'accept-language': 'de', cookie: 'sluice-language=tlh' };
    expect((await show('/dev/ui', odd)).text).toContain('<html lang="de">');
  });

  test.each(languages)('%s draws every component', async (language) => {
    for (const layout of ['signed-in', 'administration', 'public', 'plain']) {
      const { answer, text } = await show(`/dev/ui?layout=${layout}`, { 'accept-language': language });
      expect(answer.status).toBe(200);
      expect(text).not.toMatch(/undefined|\[object|NaN/);
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]* src="\/assets)/);
    }
  });
});

describe('a preference', () => {
  test('is remembered in a cookie and leads back', async () => {
    const answer = await prefer({ theme: 'dark', language: 'es', return: '/dev/ui?part=form' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dev/ui?part=form']);
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).toContain('HttpOnly');
    const headers = { cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') };
    expect((await show('/dev/ui', headers)).text).toContain('<html lang="es" data-theme="dark">');
  });

  test('for the theme of the system forgets the cookie', async () => {
    const [cookie] = (await prefer({ theme: 'system' })).headers.getSetCookie();
    expect(cookie).toContain('Max-Age=0');
  });

  test('that there is none of changes nothing', async () => {
    const long = `/${'x'.repeat(5_000)}`;
    for (const fields of [{}, { theme: 'blue', language: 'tlh' }, { theme: 'dark', return: long }]) {
      const answer = await prefer(fields);
      expect(answer.headers.getSetCookie().join()).not.toMatch(/sluice-(theme|language)/);
      expect(answer.headers.get('location')).toBe('/');
    }
  });
});

describe('a message', () => {
  test('is shown once, after a redirect', async () => {
    const left = await portal.app.request(`${origin}/dev/ui?tone=bad`, { method: 'POST' });
    expect(left.status).toBe(303);
    const cookie = left.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { answer, text } = await show('/dev/ui?part=text', { cookie });
    expect(text).toContain('<div class="toast bad" role="alert">');
    expect(answer.headers.getSetCookie()[0]).toMatch(/^sluice-message=;.*Max-Age=0/);
    expect((await show('/dev/ui?part=text')).text).not.toContain('class="toast');
  });

  test.each(['x', '{}', '{"tone":"bad","text":7}', `{"tone":"bad","text":"${'x'.repeat(400)}"}`])(
    'that the server did not write is not shown: %p',
    async (told) => {
      const { answer, text } = await show('/dev/ui?part=text', {
        cookie: `sluice-message=${encodeURIComponent(told)}`,
      });
      expect(answer.status).toBe(200);
      expect(text).not.toContain('class="toast');
    },
  );
});

describe('a brand', () => {
  test('brings its name, and its accent in a file that is kept for ever', async () => {
    const { text } = await show('/dev/ui?brand&part=text');
    expect(text).toContain('<title>Components · Pelican Cloud</title>');
    const sheets = [...text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href]) => href ?? '');
    expect(sheets).toHaveLength(2);
    const { answer, text: css } = await show(sheets[1] ?? '');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(css).toStartWith(':root{--accent:light-dark(#');
  });

  test.each(['/assets/brand-7a3db8-0000000000000000.css', '/assets/brand-red-0.css', '/assets/brand-.css'])(
    'has no file at %s',
    async (path) => {
      expect((await show(path)).answer.status).toBe(404);
    },
  );
});

describe('the files of a page', () => {
  test(`are at most ${mostScriptBytes} bytes of script`, async () => {
    const { text } = await show('/dev/ui');
    const sizes = await Promise.all(
      scriptsOf(text).map(async (src) => ({ src, bytes: (await show(src)).text.length })),
    );
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    process.stdout.write(
      `script of /dev/ui: ${total} bytes (${sizes.map(({ bytes }) => bytes).join(' + ')})\n`,
    );
    expect(sizes.length).toBeGreaterThan(2);
    expect(total).toBeLessThanOrEqual(mostScriptBytes);
  });

  test('are compressed for whoever takes that, and the same', async () => {
    const path = /href="([^"]+\.css)"/.exec((await show('/dev/ui')).text)?.[1] ?? '';
    const plain = await show(path);
    const packed = await portal.app.request(`${origin}${path}`, {
      headers: { 'accept-encoding': 'br, gzip' },
    });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toBe('accept-encoding');
    expect(new TextDecoder().decode(Bun.gunzipSync(await packed.bytes()))).toBe(plain.text);
    // The colours of a theme are chosen by the page, and not rewritten for one that follows the system alone.
    expect(plain.text).toContain('light-dark(');
  });

  test('that are not there are 404', async () => {
    expect((await show('/assets/portal-0000.css')).answer.status).toBe(404);
  });
});
