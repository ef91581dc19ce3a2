/** What a provider says of somebody, and what becomes of one that says nothing, too much or nonsense. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { client, type OpenIdProvider, startOpenIdProvider } from '../../../test/support/identity-provider.ts';
import { Visitor } from '../../../test/support/visitor.ts';
import { ByteBudget } from '../../base/byte-budget.ts';
import { systemClock } from '../../base/clock.ts';
import { ManualClock } from '../../base/testing/manual-clock.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import { authorizationAddress, identityFrom, newChecks } from './identity-provider.ts';

const redirectUri = 'http://sluice.test/oauth/p/login/callback/';
const parts = { clock: systemClock, bodies: new ByteBudget(1024 ** 2) };

function providerAt(issuer: string, kind: IdentityProvider['kind'] = 'oidc'): IdentityProvider {
  return {
    name: 'p',
    kind,
    label: 'P',
    clientId: client.id,
    clientSecret: client.secret,
    issuer,
    enforcedDomains: [],
    organisation: null,
  };
}

describe('a provider', () => {
  let there: OpenIdProvider;
  beforeAll(async () => {
    there = await startOpenIdProvider([redirectUri]);
  });
  afterAll(() => there.stop());

  async function comeBackFrom(provider: IdentityProvider, change = {}) {
    const asked = { ...newChecks(), redirectUri };
    const visitor = new Visitor({});
    const address = await authorizationAddress(parts, provider, asked);
    const { url } = await visitor.go(address, {}, (next) => next.startsWith(redirectUri));
    return identityFrom(parts, provider, { ...asked, answer: new URL(url).searchParams, ...change });
  }

  test('names somebody by what never changes, and says whether it vouches for the address', async () => {
    there.person = { sub: 'one', email: 'a@example.test', email_verified: true, name: 'Ada' };
    expect(await comeBackFrom(providerAt(there.issuer))).toEqual({
      provider: 'p',
      subject: 'one',
      email: 'a@example.test',
      emailVerified: true,
      name: 'Ada',
    });
    there.person = { sub: 'two' };
    expect(await comeBackFrom(providerAt(there.issuer))).toMatchObject({ email: '', emailVerified: false });
  });

  test('may say null of what it does not tell', async () => {
    there.person = { sub: 'nameless', email: 'a@example.test', email_verified: true, name: null };
    expect(await comeBackFrom(providerAt(there.issuer))).toMatchObject({ emailVerified: true, name: '' });
    there.person = { sub: 'unknown', email: null, email_verified: null };
    expect(await comeBackFrom(providerAt(there.issuer))).toMatchObject({ email: '', emailVerified: false });
  });

  test('that is Google vouches for addresses of its own alone', async () => {
    const google = providerAt(there.issuer, 'google');
    there.person = { sub: 'three', email: 'a@example.test', email_verified: true };
    expect(await comeBackFrom(google)).toMatchObject({ emailVerified: false });
    there.person = { sub: 'four', email: 'a@gmail.com', email_verified: true };
    expect(await comeBackFrom(google)).toMatchObject({ emailVerified: true });
  });

  test.each([{ nonce: 'another' }, { state: 'another' }, { verifier: 'v'.repeat(43) }])(
    'is not believed when it was asked otherwise: %p',
    async (change) => {
      there.person = { sub: 'five' };
      await expect(comeBackFrom(providerAt(there.issuer), change)).rejects.toMatchObject({
        failure: 'stale',
      });
    },
  );

  test('that refuses our secret is away, since nobody here can mend it', async () => {
    const provider = { ...providerAt(there.issuer), clientSecret: 'wrong' };
    await expect(comeBackFrom(provider)).rejects.toMatchObject({ failure: 'away' });
  });

  test('that calls itself otherwise than it is configured is away', async () => {
    const provider = providerAt(there.issuer.replace('127.0.0.1', 'localhost'));
    await expect(comeBackFrom(provider)).rejects.toMatchObject({ failure: 'away' });
  });
});

describe('a provider that is not well', () => {
  const serve = (fetch: () => Response | Promise<Response>) =>
    Bun.serve({ hostname: '127.0.0.1', port: 0, fetch });
  const askProvider = (provider: IdentityProvider, given = parts) =>
    authorizationAddress(given, provider, { ...newChecks(), redirectUri });
  const ask = (port: number | undefined, given = parts) =>
    askProvider(providerAt(`http://127.0.0.1:${port}`), given);

  test.each([
    ['says nonsense', () => new Response('<html>')],
    ['fails', () => new Response(null, { status: 500 })],
    ['says more than anybody has to say', () => new Response(' '.repeat(300_000))],
    ['leads elsewhere', () => Response.redirect('http://127.0.0.1:9/')],
  ])('and %s is away', async (_name, answer) => {
    const server = serve(answer);
    await expect(ask(server.port)).rejects.toMatchObject({ failure: 'away' });
    await server.stop(true);
  });

  test('and says nothing is away after ten seconds', async () => {
    const clock = new ManualClock();
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<Response>();
    const server = serve(() => {
      asked.resolve();
      return late.promise;
    });
    const answer = ask(server.port, { ...parts, clock });
    await asked.promise;
    const refused = expect(answer).rejects.toMatchObject({ failure: 'away' });
    await clock.advance(10_000);
    await refused;
    // A server waits for requests that it has not answered.
    late.resolve(new Response());
    await server.stop(true);
  });

  test('and says nothing is asked once, however many begin, and again after two seconds', async () => {
    const clock = new ManualClock();
    const late = Promise.withResolvers<Response>();
    let times = 0;
    let arrived = Promise.withResolvers<void>();
    const server = serve(() => {
      times += 1;
      arrived.resolve();
      return late.promise;
    });
    const provider = providerAt(`http://127.0.0.1:${server.port}`);
    const begin = () => askProvider(provider, { ...parts, clock }).catch((error: unknown) => error);
    const many = Array.from({ length: 20 }, begin);
    await arrived.promise;
    await clock.advance(10_000);
    for (const answer of await Promise.all(many)) expect(answer).toMatchObject({ failure: 'away' });
    expect(times).toBe(1);
    await clock.advance(1_999);
    expect(await begin()).toMatchObject({ failure: 'away' });
    await clock.advance(1);
    arrived = Promise.withResolvers<void>();
    const again = begin();
    await arrived.promise;
    await clock.advance(10_000);
    expect([await again, times]).toMatchObject([{ failure: 'away' }, 2]);
    late.resolve(new Response());
    await server.stop(true);
  });
});
