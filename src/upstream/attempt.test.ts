import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { systemNames } from '../base/addresses.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import { Deadlines } from '../base/deadlines.ts';
import { AppError } from '../base/errors.ts';
import { readerOf } from '../base/http-answer.ts';
import { Reachability } from '../base/reachability.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { Turns } from '../base/turns.ts';
import { HttpClient } from '../http/index.ts';
import { readConverseComplaint } from '../protocols/converse/errors.ts';
import { readGoogleComplaint } from '../protocols/google/errors.ts';
import { readMessagesComplaint } from '../protocols/messages/errors.ts';
import { ComplaintError, type UpstreamComplaint } from '../protocols/translator.ts';
import type { ProviderAdapter } from '../providers/index.ts';
import type { OAuthRenewal } from '../providers/provider.ts';
import type { Candidate } from '../routing/index.ts';
import { askUpstream, attempt, inBatches, Outgoing, readAnswerText, type UpstreamServices } from './index.ts';
import { pinOf } from './outgoing.ts';

const complaint = { message: 'no', code: null, type: null, param: null, status: 401 };
const support = {
  protocol: { readComplaint: () => null },
  address: ({ target }: { target: { baseUrl: string | null; secret: string | null } }) => ({
    url: target.baseUrl ?? '',
    headers: { authorization: `Bearer ${target.secret}` },
  }),
};

const client = new HttpClient();

let clock: ManualClock;
let services: UpstreamServices;
let server: Bun.Server<undefined>;
let answer: (request: Request) => Response | Promise<Response>;
/** What each request came with. */
let tokens: string[];
let renewals: number;

beforeEach(() => {
  clock = new ManualClock();
  tokens = [];
  renewals = 0;
  answer = () => new Response('fine');
  server = Bun.serve({
    port: 0,
    fetch(request) {
      tokens.push(request.headers.get('authorization') ?? '');
      return answer(request);
    },
  });
  services = {
    clock,
    deadlines: new Deadlines(clock),
    credentials: {
      fresh: async (_credential, _renewal, refused) => {
        if (refused === undefined) return 'first';
        renewals += 1;
        return 'second';
      },
    },
    // So long for connecting that nobody asks whether the host is there: that takes real time.
    timeouts: {
      connectMs: 60_000,
      firstByteMs: 20_000,
      failOverMs: 8000,
      wholeAnswerMs: 60_000,
      idleMs: 10_000,
    },
    reachability: new Reachability(clock),
    outgoing: new Outgoing({
      ...{ clock, resolve: systemNames },
      ...{ isPrivateAllowed: false, isProxied: () => false, client },
    }),
    bodies: new ByteBudget(1_000_000),
    beginnings: new Turns(),
  };
});
afterEach(() => server.stop(true));

const renewal: OAuthRenewal = {
  expiresAtMs: () => null,
  renew: async () => 'second',
  isFinal: () => false,
};

function candidate(adapter: Partial<ProviderAdapter> = {}): Candidate {
  const credential = { id: 7, name: 'k1', secret: 'first' };
  const target = { name: 'main', baseUrl: server.url.href, region: null, settings: {}, secret: 'first' };
  const provider = {
    ...target,
    id: 1,
    kind: 'double',
    credentials: [credential],
    isDeclared: true,
    dataClaim: null,
  };
  return {
    deployment: {
      ...{ provider, upstreamId: 'double-1', contextWindow: null, priceVersions: [] },
      ...{ weight: 1, quantization: null },
    },
    adapter: {
      kind: 'double',
      defaultBaseUrl: null,
      needsCredential: true,
      supports: () => ({}),
      ...adapter,
    },
    supports: {},
    names: { provider: 'p', deployment: 'd', credential: 'c', account: 'a', state: 's' },
    pool: null,
    credential,
    secret: 'first',
    target,
  };
}

const ask = (asked: Candidate, asker?: { signal: AbortSignal }) =>
  attempt({ candidate: asked, services, streamed: false, ...(asker && { asker }) }, async (call) =>
    readAnswerText(await askUpstream(call, { support, stream: false, body: '{}' }), call),
  );

test.each([
  ['nothing of', '', { retry: expect.anything(), blamed: 'provider' }],
  ['a part of the head of', 'HTTP/1.1 200 O', { retry: null, blamed: 'deployment' }],
  ['only that it is still to come of', 'HTTP/1.1 103 Early\r\n\r\n', { retry: null, blamed: 'deployment' }],
  ['what nobody can read of', 'HTTP/1.1 200 OK\r\nno field\r\n\r\n', { retry: null, blamed: 'deployment' }],
])(
  'a provider that sent %s an answer and closed is asked once more only if it sent nothing',
  async (_, sent, failure) => {
    const broken = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end(sent), error: () => undefined },
    });
    try {
      const asked = candidate();
      const target = { ...asked.target, baseUrl: `http://127.0.0.1:${broken.port}/` };
      expect(await ask({ ...asked, target })).toMatchObject({ kind: 'failure', failure });
    } finally {
      broken.stop(true);
    }
  },
);

test('a host that refuses only after a while was not reached, and is asked once more on a fresh connection', async () => {
  class SlowClient extends HttpClient {
    override async post(...given: Parameters<HttpClient['post']>) {
      await clock.advance(3000);
      return super.post(...given);
    }
  }
  services = {
    ...services,
    outgoing: new Outgoing({
      ...{ clock, resolve: systemNames, isPrivateAllowed: false, isProxied: () => false },
      client: new SlowClient(),
    }),
  };
  const asked = candidate();
  await server.stop(true);
  expect(await ask(asked)).toMatchObject({
    failure: { blamed: 'provider', retry: { afterMs: 0 }, error: { code: 'upstream_unreachable' } },
    report: { latencyMs: 3000 },
  });
});

/** What the variables say of the address that a name leads to is another thing than what they say of the name. */
const proxiedByAddress = ({ hostname }: URL) => hostname === '127.0.0.1';

/** A saved provider, asked by an address of its name, at which nobody is for who does not go by a proxy. */
function pinned(): Candidate {
  services = {
    ...services,
    reachability: {
      ask: async (url: string, _timeoutMs: number, isDirect = false) =>
        !isDirect && proxiedByAddress(new URL(url)),
    } as unknown as Reachability,
    outgoing: new Outgoing({
      ...{ clock, isPrivateAllowed: true, isProxied: proxiedByAddress, client },
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    }),
  };
  const { deployment, target, ...rest } = candidate();
  return {
    ...rest,
    deployment: { ...deployment, provider: { ...deployment.provider, isDeclared: false } },
    target: { ...target, baseUrl: `http://saved.test:${server.port}/` },
  };
}

test.each([
  ['refuses', false],
  ['is silent', true],
])('a saved provider of which one address %s is asked at another by the next request', async (_, isThere) => {
  const found = pinned();
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  answer = () => {
    asked();
    return new Promise<Response>(() => undefined);
  };
  const outgoing = new Outgoing({
    ...{ clock, isPrivateAllowed: true, isProxied: () => false, client },
    resolve: async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 as const })),
  });
  const reachability = { ask: async () => false } as unknown as Reachability;
  services = {
    ...services,
    ...{ outgoing, reachability, timeouts: { ...services.timeouts, connectMs: 1000 } },
  };
  const { baseUrl } = found.target;
  const next = async () => pinOf(await outgoing.admit(baseUrl ?? '', found.deployment.provider))?.url;
  expect(await next()).toStartWith('http://127.0.0.1:');
  if (!isThere) await server.stop(true);
  const asking = ask(found);
  if (isThere) {
    await isAsked;
    await clock.advance(550);
  }
  expect(await asking).toMatchObject({ kind: 'failure', failure: { blamed: 'provider' } });
  expect(await next()).toStartWith('http://127.0.0.2:');
});

describe('an attempt', () => {
  test('a host that is not there is told soon, also where its name alone goes past the proxies', async () => {
    services = { ...services, timeouts: { ...services.timeouts, connectMs: 1000 } };
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    answer = () => {
      asked();
      return new Promise<Response>(() => undefined);
    };
    const asking = ask(pinned());
    await isAsked;
    // No further: the attempt ends when the aborted request has, which no turn of this loop waits for.
    await clock.advance(550);
    expect(await asking).toMatchObject({ failure: { blamed: 'provider' }, report: { latencyMs: 550 } });
  });

  test('reports who answered, with which credential', async () => {
    const result = await ask(candidate());
    expect(result).toMatchObject({ kind: 'answer', answer: 'fine' });
    expect(result.report).toEqual({
      provider: 'main',
      credentialId: 7,
      status: 200,
      latencyMs: 0,
      errorCode: null,
    });
    expect(clock.pendingTimers).toBeLessThanOrEqual(1);
  });

  test('reports a refusal with its status', async () => {
    answer = () => new Response('', { status: 503 });
    const result = await ask(candidate());
    expect(result).toMatchObject({ kind: 'failure', failure: { canFailOver: true } });
    expect(result.report).toMatchObject({ status: 503, errorCode: 'upstream_overloaded' });
  });

  /** Says so much of an answer, and no more. */
  async function askHalting(head: string, pauseMs: number) {
    const { promise: hasBegun, resolve: begins } = Promise.withResolvers<void>();
    class Beginnings extends Turns {
      override enter(): Promise<void> | undefined {
        begins();
        return super.enter();
      }
    }
    services = { ...services, beginnings: new Beginnings() };
    const halting = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write(head), error: () => undefined },
    });
    try {
      const to = candidate();
      const target = { ...to.target, baseUrl: `http://127.0.0.1:${halting.port}/` };
      const asking = ask({ ...to, target });
      await hasBegun;
      await clock.advance(pauseMs - 100);
      const early = await Promise.race([asking, Promise.resolve('waits')]);
      // Deadlines are looked at several times a second.
      await clock.advance(500);
      return { early, result: await asking };
    } finally {
      halting.stop(true);
    }
  }

  test.each([
    ['of so many bytes', 'content-length: 300\r\n\r\n{"error'],
    ['in pieces', 'transfer-encoding: chunked\r\n\r\n5\r\n{"err\r\n'],
    ['of which nothing comes', 'content-length: 300\r\n\r\n'],
  ])('goes by the status of a refusal %s after five seconds', async (_, rest) => {
    const { early, result } = await askHalting(`HTTP/1.1 503 Busy\r\n${rest}`, 5000);
    expect(early).toBe('waits');
    expect(result).toMatchObject({
      failure: { canFailOver: true, error: { code: 'upstream_overloaded' } },
      report: { status: 503 },
    });
  });

  test('is read away for a second at most, whatever comes to who had asked for a piece before', async () => {
    let piece: (() => void) | undefined;
    answer = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            piece = () => controller.enqueue(new TextEncoder().encode('piece'));
            piece();
          },
        }),
      );
    const result = await attempt({ candidate: candidate(), services, streamed: true }, async (call) => {
      const reader = readerOf(await askUpstream(call, { support, stream: true, body: '{}' }));
      call.handOver();
      return { call, reader };
    });
    const { call, reader } = result.kind === 'answer' ? result.answer : {};
    if (call === undefined || reader == null) throw new Error('there is no answer');
    await reader.read();
    call.awaitPiece();
    const awaited = reader.read();
    const drained = call.drain(reader);
    piece?.();
    await awaited;
    call.receivedPiece(true);
    await clock.advance(1200);
    expect(call.isCancelled).toBe(true);
    await drained;
  });

  test('waits for the rest of an answer that says its length as for any other piece', async () => {
    const { early, result } = await askHalting('HTTP/1.1 200 OK\r\ncontent-length: 300\r\n\r\n{"ch', 10_000);
    expect(early).toBe('waits');
    expect(result).toMatchObject({ failure: { error: { code: 'upstream_timeout' } } });
  });

  /** As the protocol of the candidate reads it. */
  const askAs = (readComplaint: (body: string) => UpstreamComplaint | null) =>
    attempt({ candidate: candidate(), services, streamed: false }, (call) =>
      askUpstream(call, { support: { ...support, protocol: { readComplaint } }, stream: false, body: '{}' }),
    );

  test.each([
    ['ExpiredTokenException', 'credential'],
    ['UnrecognizedClientException:http://internal.amazon.com/coral/com.amazon.coral.service/', 'credential'],
    ['com.amazon.coral.service#InvalidSignatureException', 'credential'],
    ['AccessDeniedException:http://internal.amazon.com/coral/com.amazon.bedrock/', 'account'],
    [':', 'account'],
    ['', 'account'],
  ])('takes what AWS names %p in a header for a refused %s', async (type, blamed) => {
    for (const body of ['{"message":"no"}', 'no JSON']) {
      answer = () => new Response(body, { status: 403, headers: { 'x-amzn-errortype': type } });
      expect(await askAs(readConverseComplaint)).toMatchObject({ kind: 'failure', failure: { blamed } });
    }
  });

  test('goes by the type in the body where there is one', async () => {
    const body = '{"__type":"AccessDeniedException","message":"no"}';
    const headers = { 'x-amzn-errortype': 'ExpiredTokenException' };
    answer = () => new Response(body, { status: 403, headers });
    expect(await askAs(readConverseComplaint)).toMatchObject({ failure: { blamed: 'account' } });
  });

  test('takes the wait of a body where no header has one, and the date of a limit', async () => {
    const error = {
      code: 429,
      message: 'no',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ retryDelay: '34.4s' }],
    };
    const body = JSON.stringify({ error });
    answer = () => new Response(body, { status: 429 });
    expect(await askAs(readGoogleComplaint)).toMatchObject({ failure: { toldMs: 35_000 } });
    answer = () => new Response(body, { status: 429, headers: { 'retry-after': '7' } });
    expect(await askAs(readGoogleComplaint)).toMatchObject({ failure: { toldMs: 7000 } });
    const until = new Date(clock.nowMs() + 600_000).toISOString();
    const message = `You have reached your specified API usage limits. You will regain access on ${until.slice(0, 10)} at ${until.slice(11, 16)} UTC.`;
    const limits = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
    answer = () => new Response(limits, { status: 400 });
    const failed = await askAs(readMessagesComplaint);
    expect(failed).toMatchObject({ kind: 'failure', failure: { error: { code: 'upstream_quota_spent' } } });
    expect(failed.kind === 'failure' ? failed.failure.toldMs : null).toBeWithin(540_000, 600_001);
  });

  test('takes the wait of an error inside an answer', async () => {
    const error = {
      code: 429,
      message: 'no',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ retryDelay: '34.4s' }],
    };
    const thrown = new ComplaintError(readGoogleComplaint(JSON.stringify({ error })) ?? complaint);
    const whole = await attempt({ candidate: candidate(), services, streamed: false }, () =>
      Promise.reject(thrown),
    );
    expect(whole).toMatchObject({ failure: { toldMs: 35_000, error: { retryAfterSeconds: 35 } } });
  });

  test('was not begun while its name was looked for, however long that took', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    const parts = { clock, isPrivateAllowed: false, isProxied: () => false, client };
    services = { ...services, outgoing: new Outgoing({ ...parts, resolve: () => promise }) };
    const found = candidate();
    const asking = ask({ ...found, target: { ...found.target, baseUrl: 'http://slow.test/' } });
    await clock.advance(5000);
    reject(Object.assign(new Error('nobody answers for it'), { code: 'EAI_AGAIN' }));
    expect(await asking).toMatchObject({
      kind: 'failure',
      failure: { blamed: 'provider', canFailOver: true, retry: { afterMs: 0 } },
    });
  });

  test('does not go where an answer sends it', async () => {
    answer = () => new Response('', { status: 308, headers: { location: '/elsewhere' } });
    expect(await ask(candidate())).toMatchObject({ kind: 'failure', failure: { canFailOver: true } });
    expect(tokens).toHaveLength(1);
  });

  test('does not ask what may not be asked, and goes on to others', async () => {
    const asked = candidate();
    const { deployment } = asked;
    const saved = { ...deployment, provider: { ...deployment.provider, isDeclared: false } };
    const result = await ask({ ...asked, deployment: saved });
    expect(result).toMatchObject({
      kind: 'failure',
      failure: { error: { code: 'no_provider' }, blamed: 'nobody', canFailOver: true, isUnasked: true },
      report: null,
    });
    expect(tokens).toHaveLength(0);
  });

  test('reports nothing of a provider that could not be asked', async () => {
    const refusal = new AppError({ code: 'invalid_parameter', public: 'no' });
    const result = await attempt({ candidate: candidate(), services, streamed: false }, () =>
      Promise.reject(refusal),
    );
    expect(result).toMatchObject({ kind: 'failure', failure: { isUnasked: true }, report: null });
  });

  test('blames nobody for the time that a credential took to be renewed', async () => {
    const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
    const fresh = () => {
      waits();
      return new Promise<string>(() => undefined);
    };
    services = { ...services, credentials: { fresh } };
    const asking = ask(candidate({ oauth: renewal }));
    await isWaiting;
    await clock.advance(61_000);
    expect(await asking).toMatchObject({
      kind: 'failure',
      failure: { error: { code: 'upstream_timeout' }, blamed: 'nobody', canFailOver: true, isUnasked: true },
      report: null,
    });
    expect(tokens).toHaveLength(0);
  });

  test('blames nobody for the time that a credential took to be renewed once it was refused', async () => {
    answer = () => new Response('{}', { status: 401 });
    const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
    const fresh: UpstreamServices['credentials']['fresh'] = async (_credential, _renewal, refused) => {
      if (refused === undefined) return 'first';
      waits();
      return await new Promise<string>(() => undefined);
    };
    services = { ...services, credentials: { fresh } };
    const asking = ask(candidate({ oauth: renewal }));
    await isWaiting;
    await clock.advance(61_000);
    expect(await asking).toMatchObject({ kind: 'failure', failure: { blamed: 'nobody', canFailOver: true } });
    expect(tokens).toHaveLength(1);
  });

  test('is over when the time for an answer is', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    answer = () => {
      asked();
      return new Promise<Response>(() => undefined);
    };
    const asking = ask(candidate());
    await isAsked;
    await clock.advance(61_000);
    const result = await asking;
    expect(result.report).toEqual({
      provider: 'main',
      credentialId: 7,
      status: null,
      latencyMs: expect.any(Number),
      errorCode: 'upstream_timeout',
    });
    expect(result.report?.latencyMs).toBeGreaterThanOrEqual(60_000);
  });

  test.each([
    { given: 'little of its own time, as others took it', contentWithinMs: 1000, blamed: 'nobody' },
    { given: 'half of its own time', contentWithinMs: 10_000, blamed: 'deployment' },
  ])('of a stream that is silent blames $blamed where it was given $given', async (one) => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    answer = () => {
      asked();
      return new Promise<Response>(() => undefined);
    };
    const asking = attempt(
      { candidate: candidate(), services, streamed: true, contentWithinMs: one.contentWithinMs },
      (call) => askUpstream(call, { support, stream: true, body: '{}' }),
    );
    await isAsked;
    await clock.advance(one.contentWithinMs + 100);
    expect(await asking).toMatchObject({
      failure: { error: { code: 'upstream_timeout' }, blamed: one.blamed, canFailOver: true },
    });
  });

  test('is abandoned soon after its asker has gone', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    answer = () => {
      asked();
      return new Promise<Response>(() => undefined);
    };
    const asker = new AbortController();
    const asking = ask(candidate(), asker);
    await isAsked;
    asker.abort();
    await clock.advance(200);
    expect(await asking).toMatchObject({ kind: 'abandoned', report: { errorCode: 'client_closed' } });
  });

  test('is abandoned at once when its asker goes later', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    answer = () => {
      asked();
      return new Promise<Response>(() => undefined);
    };
    const asker = new AbortController();
    const asking = ask(candidate(), asker);
    await isAsked;
    await clock.advance(1000);
    asker.abort();
    expect((await asking).kind).toBe('abandoned');
  });
});

describe('a whole answer whose asker has gone, where somebody wants the bill', () => {
  /** Asks, waits until the provider was asked, and goes. */
  async function leave(streamed = false, of = candidate()) {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const { promise: answered, resolve: give } = Promise.withResolvers<Response>();
    answer = () => {
      asked();
      return answered;
    };
    const asker = new AbortController();
    const cuts: (() => void)[] = [];
    const onLinger = (cut: () => void) => cuts.push(cut);
    const options = { candidate: of, services, streamed, asker, onLinger };
    const asking = attempt(options, async (call) => {
      const whole = await readAnswerText(
        await askUpstream(call, { support, stream: false, body: '{}' }),
        call,
      );
      if (whole === 'first') await askUpstream(call, { support, stream: false, body: '{}' });
      return whole;
    });
    await isAsked;
    await clock.advance(1000);
    asker.abort();
    return { asking, give, cuts };
  }

  test('is taken when it comes within ten seconds', async () => {
    const { asking, give } = await leave();
    await clock.advance(9000);
    give(new Response('fine'));
    const result = await asking;
    expect(result).toMatchObject({ kind: 'abandoned', answer: 'fine', report: { status: 200 } });
  });

  test('is cut after ten seconds, and what was asked is with the provider', async () => {
    const { asking } = await leave();
    await clock.advance(10_100);
    const result = await asking;
    expect(result).toMatchObject({ kind: 'abandoned', answer: null });
    expect(result.kind === 'abandoned' && (await result.isWithProvider())).toBe(true);
  });

  test('is cut before, when it must be', async () => {
    const { asking, cuts } = await leave();
    expect(cuts).toHaveLength(1);
    cuts[0]?.();
    expect((await asking).kind).toBe('abandoned');
  });

  test('is owed nothing for when the provider refuses, or gives no answer', async () => {
    for (const response of [new Response('', { status: 503 }), new Response('', { status: 302 })]) {
      const { asking, give } = await leave();
      give(response);
      const result = await asking;
      expect(result.kind === 'abandoned' && (await result.isWithProvider())).toBe(false);
    }
  });

  test('is owed nothing for when nobody is at the provider’s address', async () => {
    const nobody = { ask: async () => false } as unknown as Reachability;
    services = { ...services, reachability: nobody };
    const { asking, cuts } = await leave();
    cuts[0]?.();
    const result = await asking;
    expect(result.kind === 'abandoned' && (await result.isWithProvider())).toBe(false);
  });

  test('is owed nothing for where the name goes past the proxies, and nobody is at its address', async () => {
    const { asking, cuts } = await leave(false, pinned());
    cuts[0]?.();
    const result = await asking;
    expect(result.kind === 'abandoned' && (await result.isWithProvider())).toBe(false);
  });

  /** A host that takes a connection, and nothing that comes over it unless it hears; it never says anything. */
  async function askMute(
    { scheme = 'http', body = '{}', hears = false },
    end: (asker: AbortController) => Promise<void>,
  ) {
    const { promise: isThere, resolve: opened } = Promise.withResolvers<void>();
    const mute = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open(socket) {
          if (hears) return;
          socket.pause();
          opened();
        },
        data: () => opened(),
        error: () => undefined,
      },
    });
    try {
      const of = candidate();
      const target = { ...of.target, baseUrl: `${scheme}://127.0.0.1:${mute.port}/` };
      const asker = new AbortController();
      const options = { candidate: { ...of, target }, services, streamed: true, asker };
      const asking = attempt(options, (call) => askUpstream(call, { support, stream: true, body }));
      await isThere;
      await end(asker);
      const result = await asking;
      return { result, isPaid: result.kind === 'abandoned' && (await result.isWithProvider()) };
    } finally {
      mute.stop(true);
    }
  }
  const leaves = async (asker: AbortController) => {
    await clock.advance(1000);
    asker.abort();
  };

  test.each([
    ['whose TLS never begins', 'https', '{}'],
    ['that takes a part of it', 'http', 'x'.repeat(64_000_000)],
  ])('is owed nothing for by a host %s', async (_, scheme, body) => {
    const { result, isPaid } = await askMute({ scheme, body }, leaves);
    expect([result.kind, isPaid]).toEqual(['abandoned', false]);
  });

  test('is with a host that took all of it and says nothing', async () => {
    const { result, isPaid } = await askMute({ hears: true }, leaves);
    expect([result.kind, isPaid]).toEqual(['abandoned', true]);
  });

  test('goes to another where TLS never begins, as where nobody takes the connection', async () => {
    const { result } = await askMute({ scheme: 'https' }, () => clock.advance(20_500));
    expect(result).toMatchObject({
      kind: 'failure',
      failure: { blamed: 'provider', isSilent: true, canFailOver: true },
    });
  });

  test('is the last that is asked for', async () => {
    const { asking, give } = await leave();
    give(new Response('first'));
    expect(await asking).toMatchObject({ kind: 'abandoned', answer: null });
    expect(tokens).toHaveLength(1);
  });

  test('is not waited for where its first content was what counted', async () => {
    const { asking, cuts } = await leave(true);
    const result = await asking;
    expect(cuts).toHaveLength(0);
    expect(result.kind === 'abandoned' && (await result.isWithProvider())).toBe(true);
  });
});

describe('a secret that the provider does not take', () => {
  const takesSecond = (request: Request) =>
    request.headers.get('authorization') === 'Bearer second'
      ? new Response('fine')
      : new Response('', { status: 401 });

  test('is renewed, and the provider asked again, for every kind that can be', async () => {
    answer = takesSecond;
    const result = await ask(candidate({ oauth: renewal }));
    expect(result).toMatchObject({ kind: 'answer', answer: 'fine', report: { status: 200 } });
    expect(tokens).toEqual(['Bearer first', 'Bearer second']);
  });

  test('is renewed once in an attempt', async () => {
    answer = () => new Response('', { status: 401 });
    const result = await ask(candidate({ oauth: renewal }));
    expect(result.report).toMatchObject({ status: 401, errorCode: 'upstream_rejected_credentials' });
    expect({ renewals, tokens }).toEqual({ renewals: 1, tokens: ['Bearer first', 'Bearer second'] });
  });

  test('stays refused where it cannot be renewed', async () => {
    answer = takesSecond;
    expect((await ask(candidate())).kind).toBe('failure');
    expect(tokens).toEqual(['Bearer first']);
  });

  test('is renewed also when the answer says so in spite of its status', async () => {
    const result = await attempt(
      { candidate: candidate({ oauth: renewal }), services, streamed: false },
      async (call) => {
        if (call.secret === 'first') throw new ComplaintError(complaint);
        return call.secret;
      },
    );
    expect(result).toMatchObject({ kind: 'answer', answer: 'second' });
  });

  test('in the middle of batches is renewed for that batch alone', async () => {
    let asked = 0;
    answer = (request) => {
      asked += 1;
      return asked === 1 ? new Response('one') : takesSecond(request);
    };
    const result = await attempt(
      { candidate: candidate({ oauth: renewal }), services, streamed: false },
      (call) =>
        inBatches(['a', 'b'], { maxItems: 1, call }, async ([item]) => {
          const response = await askUpstream(call, { support, stream: false, body: JSON.stringify(item) });
          return readAnswerText(response, call);
        }),
    );
    expect(result).toMatchObject({ kind: 'answer', answer: ['one', 'fine'] });
    expect(asked).toBe(3);
  });
});

test('of many answers that begin at once so many are read in one turn of the event loop', async () => {
  let endTurn = (): void => undefined;
  const afterThisTurn = (run: () => void) => {
    endTurn = run;
  };
  services = { ...services, beginnings: new Turns({ most: 1, afterThisTurn }) };
  const read: number[] = [];
  const local = candidate({ answer: async () => new Response('fine') });
  const asked = [1, 2].map((number) =>
    attempt({ candidate: local, services, streamed: false }, async (call) => {
      await askUpstream(call, { support, stream: false, body: '{}' });
      read.push(number);
      return number;
    }),
  );
  await asked[0];
  await Bun.sleep(0);
  expect(read).toHaveLength(1);
  endTurn();
  await Promise.all(asked);
  expect(read).toHaveLength(2);
});

describe('work in batches', () => {
  test('waits by the clock for a failure that passes', async () => {
    let asked = 0;
    const { promise: isRefused, resolve: refused } = Promise.withResolvers<void>();
    answer = () => {
      asked += 1;
      if (asked !== 2) return new Response(String(asked));
      refused();
      return new Response('', { status: 429, headers: { 'retry-after': '2' } });
    };
    const working = attempt({ candidate: candidate(), services, streamed: false }, (call) =>
      inBatches(['a', 'b'], { maxItems: 1, call }, async () =>
        readAnswerText(await askUpstream(call, { support, stream: false, body: '{}' }), call),
      ),
    );
    await isRefused;
    // One timer is that of the deadlines; the other is the wait, which begins once the refusal has been read.
    while (clock.pendingTimers < 2) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1_999);
    expect(asked).toBe(2);
    await clock.advance(1);
    expect(await working).toMatchObject({ kind: 'answer', answer: ['1', '3'] });
  });

  /** The first request of a connection is answered, the second one by `second`. */
  const batchesAt = async (second: (socket: Bun.Socket<{ requests: number }>) => void) => {
    let connections = 0;
    const closing = Bun.listen<{ requests: number }>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open(socket) {
          connections += 1;
          socket.data = { requests: 0 };
        },
        data(socket) {
          socket.data.requests += 1;
          if (socket.data.requests > 1) second(socket);
          else socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${connections}`);
        },
        error: () => undefined,
      },
    });
    const asked = candidate();
    const target = { ...asked.target, baseUrl: `http://127.0.0.1:${closing.port}/` };
    try {
      const result = await attempt({ candidate: { ...asked, target }, services, streamed: false }, (call) =>
        inBatches(['a', 'b'], { maxItems: 1, call }, async () =>
          readAnswerText(await askUpstream(call, { support, stream: false, body: '{}' }), call),
        ),
      );
      return { result, connections };
    } finally {
      closing.stop(true);
    }
  };

  test('whose kept connection was closed asks that batch once more on a fresh one', async () => {
    expect(await batchesAt((socket) => void socket.end())).toMatchObject({
      result: { kind: 'answer', answer: ['1', '2'] },
      connections: 2,
    });
  });

  test.each([
    ['worked on it for a while', async () => clock.advance(1100), ''],
    ['began to answer', async () => undefined, 'HTTP/1.1 200 O'],
  ])('asks no batch once more of a provider that %s', async (_, work, sent) => {
    const second = async (socket: Bun.Socket<{ requests: number }>) => {
      await work();
      socket.end(sent);
    };
    expect(await batchesAt((socket) => void second(socket))).toMatchObject({
      result: { kind: 'failure', failure: { retry: null, blamed: 'deployment' } },
      connections: 1,
    });
  });

  test('that fails for good is not to be done anew from its first batch', async () => {
    let asked = 0;
    answer = () => {
      asked += 1;
      return new Response('', asked === 1 ? {} : { status: 500 });
    };
    const working = attempt({ candidate: candidate(), services, streamed: false }, (call) =>
      inBatches(['a', 'b'], { maxItems: 1, call }, () =>
        askUpstream(call, { support, stream: false, body: '{}' }),
      ),
    );
    const isOver = working.then(() => true);
    while (!(await Promise.race([isOver, Bun.sleep(1)]))) await clock.advance(10_000);
    expect(await working).toMatchObject({ kind: 'failure', failure: { retry: null } });
  });

  test('of one batch leaves another try to its caller', async () => {
    answer = () => new Response('', { status: 500 });
    const result = await attempt({ candidate: candidate(), services, streamed: false }, (call) =>
      inBatches(['a'], { maxItems: 1, call }, () =>
        askUpstream(call, { support, stream: false, body: '{}' }),
      ),
    );
    expect(result).toMatchObject({ failure: { retry: { afterMs: 300, isLastResort: true } } });
  });
});
