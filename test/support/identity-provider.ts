/** Identity providers for tests: a real OpenID provider on a socket, and a GitHub that answers as its documents say. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** Who sits in front of the provider's sign-in page. */
export interface PersonThere {
  readonly sub: string;
  readonly email?: string | null;
  readonly email_verified?: boolean | null;
  readonly name?: string | null;
}

export interface OpenIdProvider {
  readonly issuer: string;
  /** Signs in whoever comes next, and from then on; null says no. */
  person: PersonThere | null;
  stop(): Promise<void>;
}

export const client = { id: 'sluice', secret: 'a-secret-between-the-two-of-them' };

/** @param redirectUris the exact addresses that it leads back to. */
export async function startOpenIdProvider(redirectUris: string[]): Promise<OpenIdProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, PersonThere>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: async () => ({ ...people.get(accountId), sub: accountId }),
    }),
    // Whoever signs in there has agreed to tell of themselves.
    async loadExistingGrant({ oidc }) {
      const { Grant } = oidc.provider;
      const grant = new Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  const opened: OpenIdProvider = {
    issuer,
    person: null,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
  answer = (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) {
      handle(request, response);
      return;
    }
    const { person } = opened;
    if (person !== null) people.set(person.sub, person);
    const result =
      person === null ? { error: 'access_denied' } : { login: { accountId: person.sub, remember: false } };
    provider.interactionFinished(request, response, result).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  };
  return opened;
}

export interface GitHub {
  readonly url: string;
  user: { readonly id: number; readonly login: string; readonly name?: string | null };
  emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[];
  stop(): void;
}

/** An Enterprise Server, since that one's address can be configured. It takes each code once, with its verifier. */
export function startGitHub(): GitHub {
  const challenges = new Map<string, string>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === '/login/oauth/authorize') {
        const code = randomBytes(8).toString('hex');
        challenges.set(code, searchParams.get('code_challenge') ?? '');
        const back = new URL(searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        back.searchParams.set('state', searchParams.get('state') ?? '');
        return Response.redirect(back.href, 302);
      }
      if (pathname === '/login/oauth/access_token') {
        const form = new URLSearchParams(await request.text());
        const challenge = challenges.get(form.get('code') ?? '');
        challenges.delete(form.get('code') ?? '');
        const shown = new Bun.CryptoHasher('sha256').update(form.get('code_verifier') ?? '');
        // With 200, as GitHub does.
        if (challenge !== shown.digest('base64url') || form.get('client_secret') !== client.secret) {
          return Response.json({ error: 'bad_verification_code' });
        }
        return Response.json({ access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' });
      }
      if (request.headers.get('authorization') !== 'Bearer gho_1') return new Response(null, { status: 401 });
      if (pathname === '/api/v3/user') return Response.json(opened.user);
      if (pathname === '/api/v3/user/emails') return Response.json(opened.emails);
      return new Response(null, { status: 404 });
    },
  });
  const opened: GitHub = {
    url: `http://127.0.0.1:${server.port}`,
    user: { id: 1, login: 'octocat' },
    emails: [],
    stop: () => void server.stop(true),
  };
  return opened;
}
