/** The notifications room: what people are told by mail, and how it reaches them. */
export { readContactMatrix } from './contact-matrix.ts';
export { type KeptMail, KeptMails } from './kept-mails.ts';
export type { MailNews } from './mail-kinds.ts';
export { MailSender } from './mail-sender.ts';
export { readSender, type Sender } from './mailer.ts';
export { type MailerSettings, openMailer } from './open-mailer.ts';
export { type MailQueue, Outbox } from './outbox.ts';
