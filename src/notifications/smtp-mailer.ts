/** Mails over SMTP: a connection each, since they are few, and an end that says whether the mail may have arrived. */
import { Readable } from 'node:stream';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import { describeThrown } from '../base/errors.ts';
import { composeMail, MailError, type Mailer, type Message, type Sender } from './mailer.ts';

const connectTimeoutMs = 10_000;
const silenceTimeoutMs = 30_000;

export class SmtpMailer implements Mailer {
  readonly #options: SMTPTransportOptions;
  readonly #from: Sender;

  /** @param url `smtp://user:password@host:587` or `smtps://host`; user and password are percent-encoded. */
  constructor(url: string, from: Sender) {
    this.#options = readSmtpUrl(url);
    this.#from = from;
  }

  async send(message: Message, signal: AbortSignal): Promise<void> {
    const mail = composeMail(message, this.#from);
    const transport = createTransport(this.#options);
    let isBegun = false;
    transport.use('stream', (composed, done) => {
      const content = composed.message.createReadStream();
      // Nothing is read of it before the server has said that it takes the message.
      composed.message.createReadStream = () => Readable.from(begin(content));
      done();
    });
    async function* begin(content: Readable): AsyncGenerator<unknown> {
      isBegun = true;
      yield* content;
    }
    try {
      await transport.sendMail({ ...mail, signal });
    } catch (cause) {
      throw asMailError(cause, isBegun);
    }
  }

  async check(): Promise<void> {
    try {
      await createTransport(this.#options).verify();
    } catch (cause) {
      throw asMailError(cause, false);
    }
  }

  describe(): string {
    return `${this.#options.host} port ${this.#options.port}`;
  }
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
  const code = memberOf(thrown, 'code');
  const message = describeThrown(thrown);
  // A wrong password is answered with a final code too, but whoever runs this can mend it.
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isAboutMail && memberOf(thrown, 'permanent') === true) return new MailError('refused', message, thrown);
  const wasAnswered = memberOf(thrown, 'responseCode') !== undefined;
  return new MailError(isBegun && !wasAnswered ? 'unknown' : 'not_sent', message, thrown);
}

const memberOf = (thrown: unknown, name: string): unknown =>
  thrown instanceof Error ? Reflect.get(thrown, name) : undefined;
