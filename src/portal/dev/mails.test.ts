/** `/dev/mail`: what its frame may do, what it shows, and where it is not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, usualDatabase } from '../../../test/support/databases.ts';
import { KeptMails, openMailer } from '../../notifications/index.ts';
import { openTestPortal, type TestPortal } from '../testing/test-portal.ts';

const html = { headers: { accept: 'text/html' } };

describe('the mails of development', () => {
  let folder = '';
  let storage: TestDatabase;
  let portal: TestPortal;
  let name = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-mails-'));
    storage = await usualDatabase.open();
    const keptMails = new KeptMails(join(folder, 'mail'));
    portal = await openTestPortal(storage, { keptMails });
    const from = { name: 'Sluice', address: 'sluice@localhost' };
    const mailer = openMailer({ smtpUrl: null, folder: join(folder, 'mail'), from, connections: 1 });
    const message = {
      to: 'ada@example.test',
      subject: 'Confirm <b>it</b>',
      text: 'Confirm:\nhttps://sluice.test/verify-email?token=abc\n',
      html: '<!doctype html><p style="color:red">Confirm <script>alert(1)</script></p>',
      language: 'en',
    };
    const never = new AbortController().signal;
    await mailer.send({ ...message, id: 'first', writtenAt: new Date(Date.UTC(2031, 0, 1)) }, never);
    await mailer.send(
      { ...message, id: 'second', to: 'eve@example.test', writtenAt: new Date(Date.UTC(2031, 0, 2)) },
      never,
    );
    name = (await keptMails.list(10)).at(-1)?.name ?? '';
    await writeFile(join(folder, 'secret.eml'), 'Subject: hush\r\n\r\nhush');
  });
  afterAll(async () => {
    await portal?.close();
    await storage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('are listed newest first', async () => {
    const { status, text } = await portal.ask('/dev/mail', html);
    expect(status).toBe(200);
    expect(text.indexOf('eve@example.test')).toBeLessThan(text.indexOf('ada@example.test'));
    expect(text).toContain('Confirm &lt;b&gt;it&lt;/b&gt;');
    expect(text).toContain(`href="/dev/mail/${name}"`);
  });

  test('are shown with their links, as text and as they would go out', async () => {
    const { status, text, answer } = await portal.ask(`/dev/mail/${name}`, html);
    expect(status).toBe(200);
    expect(text).toContain('<a href="https://sluice.test/verify-email?token=abc">');
    expect(text).toContain('Message-ID: &lt;first@localhost&gt;');
    expect(text).toContain('data-copy="&lt;!doctype html&gt;&lt;p style=');
    expect(text).not.toContain('<script>alert');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("frame-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test('stand in a frame that may do nothing', async () => {
    const { status, text, answer } = await portal.ask(`/dev/mail/${name}/html`, html);
    expect(status).toBe(200);
    expect(text).toContain('<p style="color:red">');
    const policy = answer.headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        'sandbox',
        "default-src 'none'",
        "frame-ancestors 'self'",
        "form-action 'none'",
      ]),
    );
    expect(policy?.join()).not.toContain('script-src');
    expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('are found by their own names alone', async () => {
    for (const wrong of [
      'no-such.eml',
      '..%2Fsecret.eml',
      '%2e%2e%2fsecret.eml',
      'secret.eml',
      `${name}%00`,
    ]) {
      const { status, text } = await portal.ask(`/dev/mail/${wrong}`, html);
      expect([wrong, status]).toEqual([wrong, 404]);
      expect(text).not.toContain('hush');
    }
  });

  test('are not there in production, and said to go elsewhere with a server', async () => {
    const production = await openTestPortal(storage, { isDevelopment: false });
    expect((await production.ask('/dev/mail', html)).status).toBe(404);
    await production.close();
    const sending = await openTestPortal(storage, { keptMails: null });
    expect((await sending.ask('/dev/mail', html)).text).toContain('SLUICE_SMTP_URL');
    expect((await sending.ask(`/dev/mail/${name}`, html)).status).toBe(404);
    await sending.close();
  });
});
