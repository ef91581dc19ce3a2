/** What a mailer is, and how a message becomes a mail, whichever way it goes. */
import { createTransport, type SendMailOptions } from 'nodemailer';
import { z } from 'zod';
import type { RenderedMail } from './render-mail.tsx';

export interface Message extends RenderedMail {
  /** The same for every try, so that servers can drop a second copy. */
  readonly id: string;
  readonly to: string;
  readonly language: string;
  readonly writtenAt: Date;
  /** Where a POST alone stops mails like it (RFC 8058); null where nothing does. */
  readonly stopLink?: string | null;
}

/** To one mail server at once, from one process. */
export const usualConnections = 5;

export interface Mailer {
  /**
   * Resolves when the mail is out of our hands; aborted, it ends soon.
   * @throws MailError
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
  /** Whether a mail could go out now. @throws MailError */
  check(): Promise<void>;
  /** Lets go of connections that wait for the next mail. */
  close(): void;
  /** Where mails go, in words, without a password. */
  describe(): string;
}

/** What became of a mail that was not sent as it should be. */
export type MailFailure =
  /** It is not there, and another try can succeed. */
  | 'not_sent'
  /** It is not there, and never will be: a wrong address, or a message that cannot be. */
  | 'refused'
  /** It was under way when something broke: it may be there. */
  | 'unknown';

export class MailError extends Error {
  override readonly name = 'MailError';
  readonly failure: MailFailure;

  constructor(failure: MailFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

export interface Sender {
  readonly name: string;
  readonly address: string;
}

const address = z.string().max(254).regex(z.regexes.html5Email);
const senderPattern = /^\s*(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>"]+?))\s*$/;

/** `Name <address>`, or an address alone; undefined when it is neither. */
export function readSender(text: string): Sender | undefined {
  const [, name = '', bracketed, alone] = senderPattern.exec(text) ?? [];
  const result = address.safeParse(bracketed ?? alone);
  return result.success && !hasControls(name) ? { name, address: result.data } : undefined;
}

const hasControls = (text: string): boolean => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

/**
 * For nodemailer, which would quietly make one line of several, and several recipients of one text.
 * @throws MailError refused
 */
export function composeMail(message: Message, from: Sender): SendMailOptions {
  const { id, to, subject, text, html, writtenAt } = message;
  if (!address.safeParse(to).success) throw new MailError('refused', 'the recipient is no e-mail address');
  if (hasControls(subject)) throw new MailError('refused', 'the subject has control characters');
  return {
    from: { ...from },
    to: { name: '', address: to },
    subject,
    text,
    html,
    date: writtenAt,
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    headers: headersOf(message),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function headersOf({ language, stopLink = null }: Message): Record<string, string> {
  // Answering machines keep still then.
  return { 'Auto-Submitted': 'auto-generated', 'Content-Language': language, ...stopHeaders(stopLink) };
}

function stopHeaders(link: string | null): Record<string, string> {
  if (link === null) return {};
  return { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/**
 * The whole mail with line ends as they are on the wire. Each of its forms stands in it as it is where mails can have it so,
 * since people copy links out of such files, and quoted-printable breaks them.
 */
export async function writeMail(message: Message, from: Sender): Promise<Buffer> {
  const { text, html } = message;
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const [writtenText, writtenHtml] = [writePart('plain', text), writePart('html', html)];
  const hasPlainParts = writtenText !== null || writtenHtml !== null;
  const { message: written } = await transport.sendMail({
    ...composeMail(message, from),
    text: writtenText ?? text,
    html: writtenHtml ?? html,
    headers: { ...headersOf(message), ...(hasPlainParts && { 'Content-Transfer-Encoding': '8bit' }) },
  });
  if (!Buffer.isBuffer(written)) throw new Error('The mail was not written whole.');
  return written;
}

/** RFC 2045, "8bit data": without the two that end its line. */
const mostBytesInLine = 998;

const canStandAsItIs = (text: string): boolean =>
  !text.includes('\0') && text.split(/\r\n?|\n/).every((line) => Buffer.byteLength(line) <= mostBytesInLine);

/** Null for what has to be encoded. */
function writePart(form: 'plain' | 'html', content: string): { readonly raw: string } | null {
  if (!canStandAsItIs(content)) return null;
  const headers = [`Content-Type: text/${form}; charset=utf-8`, 'Content-Transfer-Encoding: 8bit'];
  return { raw: [...headers, '', ...content.split(/\r\n?|\n/)].join('\r\n') };
}
