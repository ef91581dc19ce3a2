/** Mails as files. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { FileMailer } from './file-mailer.ts';
import { mailerCases, messageTo, neverAborted, sender } from './mailer.cases.ts';
import type { Mailer } from './mailer.ts';

const mailerIn = (folder: string): Mailer => new FileMailer(folder, sender);

describe('mails as files', () => {
  let parent = '';
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sluice-mail-'));
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  const folder = () => join(parent, 'mail');
  const names = async () => (await readdir(folder()).catch(() => [])).sort();

  mailerCases({
    mailer: () => mailerIn(folder()),
    arrived: async () => Promise.all((await names()).map((name) => readFile(join(folder(), name), 'utf8'))),
  });

  test('are readable by their owner alone, since links in them are secrets', async () => {
    await mailerIn(folder()).send(messageTo('ada@example.test'), neverAborted);
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
    for (const name of await names()) expect((await stat(join(folder(), name))).mode & 0o777).toBe(0o600);
  });

  const newest = async () => await readFile(join(folder(), (await names()).at(-1) ?? ''), 'utf8');
  const writtenAt = new Date(Date.UTC(2030, 6, 1));

  test('have links that can be copied out of them, and letters as they are', async () => {
    const link = `https://sluice.test/verify-email?token=${'abc='.repeat(60)}`;
    await mailerIn(folder()).send(
      messageTo('ada@example.test', {
        text: `Grüße\n\n${link}\n`,
        html: `<p>Grüße</p>\n<a href="${link}">`,
        writtenAt,
      }),
      neverAborted,
    );
    expect(await newest()).toContain(`\r\nGrüße\r\n\r\n${link}\r\n`);
    expect(await newest()).toContain(`\r\n<p>Grüße</p>\r\n<a href="${link}">\r\n`);
  });

  test('are encoded where a line is longer than lines of mails may be', async () => {
    const [short, long] = ['ü', 'ü'.repeat(500)];
    for (const [text, html] of [
      [long, short],
      [short, long],
      [long, long],
    ] as const) {
      const message = messageTo('ada@example.test', { text, html, writtenAt });
      await mailerIn(folder()).send(message, neverAborted);
      const written = await newest();
      const mail = await PostalMime.parse(written);
      expect([mail.text?.trim(), mail.html?.trim()]).toEqual([text, html]);
      for (const line of written.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998);
    }
  });

  test('are 500 at most, the newest ones, also when many come at once', async () => {
    const mailer = mailerIn(folder());
    await Promise.all(
      Array.from({ length: 520 }, (_, at) =>
        mailer.send(
          messageTo('ada@example.test', { writtenAt: new Date(Date.UTC(2031, 0, 1, 0, 0, at)) }),
          neverAborted,
        ),
      ),
    );
    const kept = await names();
    expect(kept).toHaveLength(500);
    expect(kept[0]).toStartWith('2031-01-01T00-00-20');
    expect(kept.at(-1)).toStartWith('2031-01-01T00-08-39');
  });

  test('that cannot be written are not there, and may be tried again', async () => {
    const file = join(parent, 'in-the-way');
    await writeFile(file, '');
    const thrown = await mailerIn(file)
      .send(messageTo('ada@example.test'), neverAborted)
      .catch((error: unknown) => error);
    expect(thrown).toHaveProperty('failure', 'not_sent');
  });
});
