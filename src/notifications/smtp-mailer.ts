/** Mails over SMTP: over a few connections that are kept for a moment, with an end that says whether a mail may have arrived. */
import { Readable } from 'node:stream';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
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
      await createTransport(this.#options).verify();
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
