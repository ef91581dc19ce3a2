/** Mails over SMTP, to a real server: what arrives, and what a broken try is taken for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { mailerCases, messageTo, neverAborted, sender } from './mailer.cases.ts';
import { readSmtpUrl, SmtpMailer } from './smtp-mailer.ts';

interface Running {
  readonly url: string;
  readonly arrived: string[];
  readonly recipients: string[];
  stop(): Promise<void>;
}

async function serve(
  options: SMTPServerOptions = {},
  connected: (socket: Socket) => void = () => undefined,
): Promise<Running> {
  const arrived: string[] = [];
  const recipients: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        arrived.push(Buffer.concat(chunks).toString());
        recipients.push(...session.envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.server.on('connection', connected);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `smtp://127.0.0.1:${port}`,
    arrived,
    recipients,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

const failureOf = (mailer: SmtpMailer, signal = neverAborted): Promise<unknown> =>
  mailer
    .send(messageTo('ada@example.test'), signal)
    .then(
      () => 'sent',
      (error: unknown) => (error instanceof Error ? Reflect.get(error, 'failure') : error),
    )
    .finally(() => mailer.close());

describe('mails over SMTP', () => {
  let server: Running;
  beforeAll(async () => {
    server = await serve();
  });
  const mailers: SmtpMailer[] = [];
  afterAll(async () => {
    for (const mailer of mailers) mailer.close();
    await server.stop();
  });
  function openMailer(): SmtpMailer {
    const mailer = new SmtpMailer(server.url, sender);
    mailers.push(mailer);
    return mailer;
  }

  mailerCases({ mailer: openMailer, arrived: async () => server.arrived });

  test('name the one recipient to the server, too', async () => {
    server.recipients.length = 0;
    await openMailer().send(messageTo('eve@example.test'), neverAborted);
    expect(server.recipients).toEqual(['eve@example.test']);
  });

  test('share a few connections, which wait for the next mail, and are let go of at the end', async () => {
    const open = new Set<string>();
    const allClosed = Promise.withResolvers<void>();
    let most = 0;
    let made = 0;
    const counted = await serve({
      onConnect(session, done) {
        made += 1;
        open.add(session.id);
        most = Math.max(most, open.size);
        done();
      },
      onClose(session) {
        open.delete(session.id);
        if (open.size === 0) allClosed.resolve();
      },
    });
    const mailer = new SmtpMailer(counted.url, sender, 3);
    const people = Array.from({ length: 12 }, (_, at) => `person-${at}@example.test`);
    await Promise.all(people.map((to) => mailer.send(messageTo(to), neverAborted)));
    await mailer.send(messageTo('last@example.test'), neverAborted);
    expect(counted.recipients.toSorted()).toEqual([...people, 'last@example.test'].sort());
    expect([most, made]).toEqual([3, 3]);
    mailer.close();
    await allClosed.promise;
    await counted.stop();
  });

  test('a connection that its server closed meanwhile is replaced, and nobody hears of it', async () => {
    const sessions: Socket[] = [];
    const forgetful = await serve({ onConnect: (_session, done) => done() }, (socket) =>
      sessions.push(socket),
    );
    const mailer = new SmtpMailer(forgetful.url, sender, 1);
    await mailer.send(messageTo('ada@example.test'), neverAborted);
    const [first] = sessions;
    if (first === undefined) throw new Error('nobody connected');
    const closed = once(first, 'close');
    first.destroy();
    await closed;
    await mailer.send(messageTo('eve@example.test'), neverAborted);
    expect(forgetful.recipients).toEqual(['ada@example.test', 'eve@example.test']);
    mailer.close();
    await forgetful.stop();
  });

  test('check whether the server is there', async () => {
    await openMailer().check();
    const absent = new SmtpMailer('smtp://127.0.0.1:1', sender);
    expect(await absent.check().catch((error: unknown) => error)).toHaveProperty('failure', 'not_sent');
    expect(await failureOf(absent)).toBe('not_sent');
    expect(absent.describe()).toBe('127.0.0.1 port 1');
  });

  test.each([
    [550, 'refused'],
    [450, 'not_sent'],
  ] as const)('a recipient answered with %i is %s', async (responseCode, failure) => {
    const refusing = await serve({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('No'), { responseCode })),
    });
    expect(await failureOf(new SmtpMailer(refusing.url, sender))).toBe(failure);
    await refusing.stop();
  });

  test.each([
    [553, '5.7.1 Sender address rejected: not owned by user'],
    [530, '5.7.0 Authentication required'],
  ])('a sender answered with %i can be mended, and the check says so', async (responseCode, words) => {
    const refusing = await serve({
      onMailFrom: (_address, _session, done) => done(Object.assign(new Error(words), { responseCode })),
    });
    const checked = await new SmtpMailer(refusing.url, sender).check().catch((error: unknown) => error);
    expect(checked).toHaveProperty('failure', 'not_sent');
    expect(checked).toHaveProperty('message', expect.stringContaining('gate@sluice.test'));
    expect(checked).toHaveProperty('message', expect.stringContaining(`${responseCode} ${words}`));
    expect(await failureOf(new SmtpMailer(refusing.url, sender))).toBe('not_sent');
    await refusing.stop();
  });

  test.each([
    [553, '5.7.1 Sender address rejected: not owned by user', 'not_sent'],
    [550, '5.1.8 Sender domain does not exist', 'not_sent'],
    [530, 'Authentication required', 'not_sent'],
    [550, '5.1.1 No such user', 'refused'],
  ])('what is said of the sender behind a recipient: %i %s is %s', async (responseCode, words, failure) => {
    const refusing = await serve({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error(words), { responseCode })),
    });
    expect(await failureOf(new SmtpMailer(refusing.url, sender))).toBe(failure);
    await refusing.stop();
  });

  test.each([
    [554, 'Message rejected: Email address is not verified.', 'not_sent'],
    [550, '5.7.26 Unauthenticated email is not accepted', 'not_sent'],
    [554, '5.6.0 Message contains invalid header', 'refused'],
    [552, '5.3.4 Message too big for system', 'refused'],
    [451, '4.7.1 Try again later', 'not_sent'],
  ])('a message answered with %i %s is %s', async (responseCode, words, failure) => {
    const refusing = await serve({
      onData(message, _session, done) {
        message.resume().on('end', () => done(Object.assign(new Error(words), { responseCode })));
      },
    });
    expect(await failureOf(new SmtpMailer(refusing.url, sender))).toBe(failure);
    await refusing.stop();
  });

  test('the check signs in, asks for the sender, and leaves no mail behind', async () => {
    const senders: string[] = [];
    const guarded = await serve({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === 'right' ? done(null, { user: 'gate' }) : done(new Error('No')),
      onMailFrom({ address }, _session, done) {
        senders.push(address);
        done();
      },
    });
    const { host } = new URL(guarded.url);
    await new SmtpMailer(`smtp://gate:right@${host}`, sender).check();
    expect(senders).toEqual([sender.address]);
    const wrong = new SmtpMailer(`smtp://gate:wrong@${host}`, sender);
    expect(await wrong.check().catch((error: unknown) => error)).toHaveProperty('failure', 'not_sent');
    expect([senders.length, guarded.arrived]).toEqual([1, []]);
    await guarded.stop();
  });

  test('a wrong password can be mended, a right one is used', async () => {
    const guarded = await serve({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'gate' && password === 'p@ss:word'
          ? done(null, { user: 'gate' })
          : done(new Error('No')),
    });
    const { host } = new URL(guarded.url);
    expect(await failureOf(new SmtpMailer(`smtp://gate:wrong@${host}`, sender))).toBe('not_sent');
    expect(await failureOf(new SmtpMailer(`smtp://gate:p%40ss%3Aword@${host}`, sender))).toBe('sent');
    expect(guarded.arrived).toHaveLength(1);
    await guarded.stop();
  });

  test('no password leaves this machine without TLS', () => {
    const url = 'smtp://gate:hush@mail.example.test';
    expect(readSmtpUrl(url).requireTLS).toBe(true);
    expect(readSmtpUrl('smtp://gate:hush@localhost').requireTLS).toBe(false);
    expect(readSmtpUrl('smtps://gate:hush@mail.example.test')).toMatchObject({ secure: true, port: 465 });
    expect(new SmtpMailer(url, sender).describe()).not.toContain('hush');
  });

  test('a connection that breaks after the message was begun leaves its end unknown; before, not', async () => {
    for (const [breaksAt, failure] of [
      ['MAIL', 'not_sent'],
      ['DATA', 'not_sent'],
      ['.', 'unknown'],
    ] as const) {
      const broken = await serveBreaking(breaksAt);
      expect([breaksAt, await failureOf(new SmtpMailer(broken.url, sender))]).toEqual([breaksAt, failure]);
      broken.stop();
    }
  });

  test('a try that is given up ends at once, though the server says nothing', async () => {
    const silent = await serveBreaking('never');
    const abort = new AbortController();
    const ending = failureOf(new SmtpMailer(silent.url, sender), abort.signal);
    await silent.spoken;
    abort.abort();
    expect(await ending).toBe('unknown');
    silent.stop();
  });
});

/** A server that talks as far as the command and then hangs up, or, with `never`, is silent behind the message. */
async function serveBreaking(breaksAt: 'MAIL' | 'DATA' | '.' | 'never') {
  const { promise: spoken, resolve: hasSpoken } = Promise.withResolvers<void>();
  const server = createServer((socket: Socket) => {
    let isMessage = false;
    socket.on('error', () => undefined);
    socket.write('220 broken.test\r\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\r\n').filter(Boolean)) {
        const command = line.split(/[ :]/)[0];
        if (isMessage && line !== '.') continue;
        if (command === breaksAt) return socket.destroy();
        if (line === '.') return hasSpoken();
        isMessage = command === 'DATA';
        socket.write(isMessage ? '354 go on\r\n' : '250 fine\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `smtp://127.0.0.1:${port}`, spoken, stop: () => server.close() };
}
