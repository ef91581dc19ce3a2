/** What every mailer does, whichever way its mails go. */
import { describe, expect, test } from 'bun:test';
import PostalMime, { type Email } from 'postal-mime';
import { MailError, type Mailer, type Message, type Sender } from './mailer.ts';

export const sender: Sender = { name: 'Slüice, the “gate”', address: 'gate@sluice.test' };

let messages = 0;

export function messageTo(to: string, changed: Partial<Message> = {}): Message {
  messages += 1;
  return {
    id: `018f0000-0000-7000-8000-${String(messages).padStart(12, '0')}`,
    to,
    subject: 'Grüße aus dem Tor',
    text: 'Grüße\n\n.\nhttps://sluice.test/verify-email?token=abc=def\n',
    html: '<p>Grüße <a href="https://sluice.test/verify-email?token=abc=def">hier</a></p>',
    language: 'de',
    writtenAt: new Date(Date.UTC(2030, 0, 1, 12)),
    ...changed,
  };
}

export interface MailerSetting {
  readonly mailer: () => Mailer;
  /** Mails as they arrived, oldest first, with line ends as on the wire. */
  readonly arrived: () => Promise<readonly string[]>;
}

export const neverAborted = new AbortController().signal;

export function mailerCases({ mailer, arrived }: MailerSetting): void {
  const last = async (): Promise<Email> => PostalMime.parse((await arrived()).at(-1) ?? '');

  describe('every mailer', () => {
    test('delivers both forms, whole, to the one recipient', async () => {
      const message = messageTo('ada@example.test');
      await mailer().send(message, neverAborted);
      const mail = await last();
      expect(mail.from).toEqual({ name: sender.name, address: sender.address });
      expect(mail.to).toEqual([{ name: '', address: 'ada@example.test' }]);
      expect(mail.subject).toBe(message.subject);
      expect(mail.text?.trim()).toBe(message.text.trim());
      expect(mail.html?.trim()).toBe(message.html);
      expect(mail.date).toBe('2030-01-01T12:00:00.000Z');
      expect(mail.messageId).toBe(`<${message.id}@sluice.test>`);
      expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
      expect(mail.headers.find(({ key }) => key === 'content-language')?.value).toBe('de');
      expect(mail.attachments).toEqual([]);
    });

    test('gives the same mail the same name at every try', async () => {
      const message = messageTo('twice@example.test');
      await mailer().send(message, neverAborted);
      const first = await last();
      await mailer().send(message, neverAborted);
      expect((await last()).messageId).toBe(first.messageId);
    });

    test.each([
      'ada@example.test\r\nBcc: all@evil.test',
      'ada@example.test, all@evil.test',
      'Ada <ada@example.test>',
      'ada@example.test\0',
      'ada@exämple.test',
      `${'a'.repeat(250)}@example.test`,
      '',
      'group: all@evil.test;',
    ])('refuses %j as a recipient, for good', async (to) => {
      const before = (await arrived()).length;
      const thrown = await mailer()
        .send(messageTo(to), neverAborted)
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(MailError);
      expect(thrown).toHaveProperty('failure', 'refused');
      expect((await arrived()).length).toBe(before);
    });

    test.each(['One\r\nBcc: all@evil.test', 'One\nTwo', 'One\u2028Two', 'One\0'])(
      'refuses %j as a subject, for good',
      async (subject) => {
        const thrown = await mailer()
          .send(messageTo('ada@example.test', { subject }), neverAborted)
          .catch((error: unknown) => error);
        expect(thrown).toHaveProperty('failure', 'refused');
      },
    );

    test('puts what looks like headers, or like the end of a message, into the text alone', async () => {
      const text = 'Bcc: all@evil.test\r\n\r\n.\r\nMAIL FROM:<all@evil.test>\n..\n';
      await mailer().send(messageTo('ada@example.test', { text }), neverAborted);
      const mail = await last();
      expect(mail.bcc).toBeUndefined();
      expect(mail.text?.replaceAll('\r\n', '\n').trim()).toBe(text.replaceAll('\r\n', '\n').trim());
    });
  });
}
