/** Which mailer a process has. */
import { FileMailer } from './file-mailer.ts';
import type { Mailer, Sender } from './mailer.ts';
import { SmtpMailer } from './smtp-mailer.ts';

export interface MailerSettings {
  /** Null keeps mails as files. */
  readonly smtpUrl: string | null;
  /** For the files. */
  readonly folder: string;
  readonly from: Sender;
  /** Most of them at once, to the mail server. */
  readonly connections: number;
}

export const openMailer = ({ smtpUrl, folder, from, connections }: MailerSettings): Mailer =>
  smtpUrl === null ? new FileMailer(folder, from) : new SmtpMailer(smtpUrl, from, connections);
