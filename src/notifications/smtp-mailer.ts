/** Mails over SMTP: over a few connections that are kept for a moment, with an end that says whether a mail may have arrived. */
import { Readable } from 'node:stream';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { describeThrown } from '../base/errors.ts';
import {
  composeMail,
  MailError,
  type Mailer,
  type Message,
  type Sender,
  usualConnections,
} from './mailer.ts';

const connectTimeoutMs = 10_000;
const silenceTimeoutMs = 30_000;
/** Servers close what is idle for some minutes, and count whoever keeps a place. */
const idleTimeoutMs = 5_000;
/** What many servers take over one connection. */
const mailsAConnection = 100;

/** What is known of a mail on its way. */
interface Way {
  isBegun: boolean;
}

export class SmtpMailer implements Mailer {
  readonly #options: SMTPTransportOptions;
  readonly #from: Sender;
  readonly #pool: ReturnType<typeof openPool>;
  /** By the signal that ends each, which goes all the way with it. */
  readonly #ways = new WeakMap<AbortSignal, Way>();

  /** @param url `smtp://user:password@host:587` or `smtps://host`; user and password are percent-encoded. */
  constructor(url: string, from: Sender, connections = usualConnections) {
    this.#options = readSmtpUrl(url);
    this.#from = from;
    this.#pool = openPool(this.#options, connections);
    this.#pool.use('stream', ({ data, message }, done) => {
      const way = data.signal === undefined ? undefined : this.#ways.get(data.signal);
      const content = message.createReadStream();
      // Nothing is read of it before the server has said that it takes the message. What was begun goes no second way.
      message.createReadStream = () => Readable.from(readOnce(content, way));
      done();
    });
  }

  async send(message: Message, given: AbortSignal): Promise<void> {
    const mail = composeMail(message, this.#from);
    const way: Way = { isBegun: false };
    const signal = AbortSignal.any([given]);
    this.#ways.set(signal, way);
    try {
      await this.#pool.sendMail({ ...mail, signal });
    } catch (cause) {
      throw asMailError(cause, way.isBegun);
    }
  }

  async check(): Promise<void> {
    try {
      await askForSender(this.#options, this.#from.address);
    } catch (cause) {
      throw asMailError(cause, false);
    }
  }

  close(): void {
    this.#pool.close();
  }

  describe(): string {
    return `${this.#options.host} port ${this.#options.port}`;
  }
}

const openPool = (options: SMTPTransportOptions, maxConnections: number) =>
  createTransport({
    ...options,
    pool: true,
    maxConnections,
    maxMessages: mailsAConnection,
    idleTimeout: idleTimeoutMs,
    // Once, for a connection that its server had closed meanwhile.
    maxRequeues: 1,
  });

async function* readOnce(content: Readable, way: Way | undefined): AsyncGenerator<unknown> {
  if (way === undefined || way.isBegun) throw new Error('A mail goes one way, once.');
  way.isBegun = true;
  yield* content;
}

const senderQuestion = 'SENDER-QUESTION';

/**
 * Signs in and begins a mail of this sender that is never sent. A connection offers no command of one's own but to a way of
 * signing in, so that this question is one, behind the real one.
 */
function askForSender({ auth, ...options }: SMTPTransportOptions, sender: string): Promise<void> {
  const connection = new SMTPConnection({
    ...options,
    customAuth: {
      [senderQuestion]: async ({ sendCommand }) => {
        const { status } = await sendCommand(`MAIL FROM:<${sender}>`);
        if (status >= 300) throw new Error(`mails from ${sender}, which is SLUICE_MAIL_FROM, are refused`);
        await sendCommand('RSET');
      },
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (error?: Error | null) => (error ? reject(error) : resolve());
  connection.on('error', end);
  connection.on('end', () => end(new Error('the connection was closed')));
  const askNow = () => connection.login({ method: senderQuestion }, end);
  connection.connect((error) => {
    if (error) return end(error);
    if (auth === undefined || !connection.allowsAuth) return askNow();
    connection.login(auth, (refusal) => (refusal ? end(refusal) : askNow()));
  });
  return promise.finally(() => connection.quit());
}

/** For tests, too: what is demanded of a server elsewhere cannot be tried on this machine. */
export function readSmtpUrl(text: string): SMTPTransportOptions {
  const url = new URL(text);
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const user = decodeURIComponent(url.username);
  return {
    host,
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    secure: isTls,
    // Who sits between could otherwise strike STARTTLS out of the server's offer, and read the password.
    requireTLS: !isTls && user !== '' && !isLoopback(host),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    dnsTimeout: connectTimeoutMs,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const isLoopback = (host: string): boolean => /^(localhost|127\.[\d.]+|::1)$/.test(host);

/** The server's own words are kept for the log; they name the recipient at most. */
function asMailError(thrown: unknown, isBegun: boolean): MailError {
  const message = describeThrown(thrown);
  if (isAboutMail(thrown) && memberOf(thrown, 'permanent') === true) {
    return new MailError('refused', message, thrown);
  }
  const wasAnswered = memberOf(thrown, 'responseCode') !== undefined;
  return new MailError(isBegun && !wasAnswered ? 'unknown' : 'not_sent', message, thrown);
}

/**
 * Whether it is this mail that cannot be, and not the settings, which whoever runs this can mend: a wrong password, a sender
 * that the account of the mail server may not use, a demand to sign in. Those are answered with final codes, too.
 */
function isAboutMail(thrown: unknown): boolean {
  const code = memberOf(thrown, 'code');
  if (code !== 'EMESSAGE' && code !== 'EENVELOPE') return false;
  if (memberOf(thrown, 'command') === 'MAIL FROM') return false;
  const response = String(memberOf(thrown, 'response'));
  if (code === 'EMESSAGE' && failedWhole.test(response)) return false;
  return !aboutSender.test(response);
}

/**
 * Answers to a recipient or a message that are about who sends: many servers wait with what they have against a sender
 * until then. 530 demands to sign in (RFC 4954), x.1.7 and x.1.8 are wrong addresses of senders and x.7 what policy does
 * not allow (RFC 3463).
 */
const aboutSender = /^530|^\d{3}[ -]\d\.(1\.[78]|7\.\d+)\b/;
/** 554 says that it failed, and without a second code nothing of why: services answer so to a sender that they do not know yet. */
const failedWhole = /^554(?![ -]\d\.\d)/;

const memberOf = (thrown: unknown, name: string): unknown =>
  thrown instanceof Error ? Reflect.get(thrown, name) : undefined;
