/** Asking an identity provider who somebody is: OpenID Connect, and GitHub, which speaks OAuth 2.0 alone. */
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { IdentityProvider } from '../../configuration/index.ts';
import type { ProviderIdentity } from '../../identity/index.ts';
import { optionsFor, ProviderError, type ProviderParts, withinProviderTime } from './provider-http.ts';

/** How long what a provider says of itself is believed. */
const metadataLifetimeMs = 3_600_000;
/** How long one that could not be read is not asked again: anybody can begin a sign-in. */
const failureLifetimeMs = 2_000;

/** What one sign-in is held to: kept by the browser, sealed, and compared on the way back. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export function newChecks(): Checks {
  return {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
}

/**
 * Where the browser goes.
 * @throws ProviderError `away`.
 */
export async function authorizationAddress(
  parts: ProviderParts,
  provider: IdentityProvider,
  { state, nonce, verifier, redirectUri }: Checks & { readonly redirectUri: string },
): Promise<string> {
  const server = await findServer(parts, provider);
  if (server.authorization_endpoint === undefined) throw new ProviderError('away', 'no such endpoint');
  const address = new URL(server.authorization_endpoint);
  const isOpenId = provider.kind !== 'github';
  const asked = {
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: (isOpenId ? ['openid', 'email', 'profile'] : ['read:user', 'user:email']).join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(isOpenId && { nonce }),
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  return address.href;
}

/**
 * Who came back.
 * @param answer the query of the way back.
 * @throws ProviderError.
 */
export function identityFrom(
  parts: ProviderParts,
  provider: IdentityProvider,
  asked: Checks & { readonly redirectUri: string; readonly answer: URLSearchParams },
): Promise<ProviderIdentity> {
  return withinProviderTime(parts, async (signal) => {
    const server = await findServer(parts, provider);
    const client = clientOf(provider);
    const options = optionsFor(parts, provider, signal);
    const answer = oauth.validateAuthResponse(server, client, asked.answer, asked.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationAt(server, provider),
      answer,
      asked.redirectUri,
      asked.verifier,
      options,
    );
    const isOpenId = provider.kind !== 'github';
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      response,
      isOpenId ? { expectedNonce: asked.nonce, requireIdToken: true } : {},
    );
    const reached = { server, client, tokens, options };
    return isOpenId ? readOpenId(provider, reached) : readGitHub(provider, reached);
  });
}

interface Reached {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly tokens: oauth.TokenEndpointResponse;
  readonly options: ReturnType<typeof optionsFor>;
}

/** Some write null for what they do not tell, which OpenID Connect Core 1.0, 5.3.2, advises against and does not forbid. */
const claimsShape = z.object({
  email: z.string().max(1000).nullish(),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).nullish(),
  name: z.string().max(1000).nullish(),
  hd: z.string().nullish(),
});
const subjectShape = z.string().min(1).max(255);

async function readOpenId(
  provider: IdentityProvider,
  { server, client, tokens, options }: Reached,
): Promise<ProviderIdentity> {
  const told = oauth.getValidatedIdTokenClaims(tokens);
  const subject = subjectShape.parse(told?.sub);
  let claims = claimsShape.parse(told);
  if (claims.email == null && server.userinfo_endpoint !== undefined) {
    const response = await oauth.userInfoRequest(server, client, tokens.access_token, options);
    // Whose claims they are is compared with the identity token.
    claims = claimsShape.parse(await oauth.processUserInfoResponse(server, client, subject, response));
  }
  const { email_verified } = claims;
  const [email, name] = [claims.email ?? '', claims.name ?? ''];
  const isVerified = email_verified === true || email_verified === 'true';
  // https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload (2026-11): Google speaks
  // for addresses of its own and of the domains that it hosts; others may have passed to somebody else since.
  const isTheirs = provider.kind !== 'google' || claims.hd != null || /@gmail\.com$/i.test(email.trim());
  return { provider: provider.name, subject, email, emailVerified: isVerified && isTheirs, name };
}

const gitHubUser = z.object({
  id: z.number().int().positive(),
  login: z.string().max(1000),
  name: z.string().max(1000).nullable().optional(),
});
const gitHubEmails = z.array(
  z.object({ email: z.string().max(1000), primary: z.boolean(), verified: z.boolean() }),
);

/** https://docs.github.com/en/rest/users/emails (2026-11): the public address of a profile need not be verified. */
async function readGitHub(
  provider: IdentityProvider,
  { tokens, options }: Reached,
): Promise<ProviderIdentity> {
  const { issuer } = provider;
  const api = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;
  const ask = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'sluice' });
    const address = new URL(`${api}${path}`);
    const response = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      address,
      headers,
      null,
      options,
    );
    if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}`);
    return response.json();
  };
  const user = gitHubUser.parse(await ask('/user'));
  const emails = gitHubEmails.parse(await ask('/user/emails?per_page=100'));
  const primary = emails.find((each) => each.primary);
  return {
    provider: provider.name,
    subject: String(user.id),
    email: primary?.email ?? '',
    emailVerified: primary?.verified === true,
    name: user.name ?? user.login,
  };
}

interface Metadata {
  readonly server: Promise<oauth.AuthorizationServer>;
  untilMs: number;
}

/** By the configured provider itself, so that another configuration never meets what was remembered of this one. */
const remembered = new WeakMap<IdentityProvider, Metadata>();

/**
 * What the provider says of itself. Whoever comes while it is asked has the same answer, be it that there is none.
 * @throws ProviderError `away`.
 */
async function findServer(
  parts: ProviderParts,
  provider: IdentityProvider,
): Promise<oauth.AuthorizationServer> {
  const { clock } = parts;
  const { kind, issuer } = provider;
  if (kind === 'github') {
    return {
      // As GitHub names itself under /.well-known/openid-configuration of this address.
      issuer: `${issuer}/login/oauth`,
      authorization_endpoint: `${issuer}/login/oauth/authorize`,
      token_endpoint: `${issuer}/login/oauth/access_token`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
  }
  const known = remembered.get(provider);
  if (known !== undefined && known.untilMs > clock.nowMs()) return known.server;
  const server = withinProviderTime(parts, (signal) => readServer(parts, provider, signal));
  const metadata: Metadata = { server, untilMs: Number.POSITIVE_INFINITY };
  remembered.set(provider, metadata);
  const believeFor = (lifetimeMs: number) => () => {
    metadata.untilMs = clock.nowMs() + lifetimeMs;
  };
  server.then(believeFor(metadataLifetimeMs), believeFor(failureLifetimeMs));
  return server;
}

async function readServer(
  parts: ProviderParts,
  provider: IdentityProvider,
  signal: AbortSignal,
): Promise<oauth.AuthorizationServer> {
  const expected = new URL(provider.issuer);
  const response = await oauth.discoveryRequest(expected, {
    algorithm: 'oidc',
    ...optionsFor(parts, provider, signal),
  });
  // What a provider says of itself has to name the very issuer that was configured.
  return await oauth.processDiscoveryResponse(expected, response);
}

/** What a minute more or less does to a token that the provider made at this moment is nobody's attack. */
const clientOf = ({ clientId }: IdentityProvider): oauth.Client => ({
  client_id: clientId,
  [oauth.clockTolerance]: 60,
});

/** RFC 8414, section 2: basic, where a provider does not say. */
function authenticationAt(
  { token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer,
  { clientSecret }: IdentityProvider,
): oauth.ClientAuth {
  const isBasic = methods === undefined || methods.includes('client_secret_basic');
  return isBasic ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
}
