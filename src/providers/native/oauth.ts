/**
 * What a native provider's row says of its service, the credential of the account, and how its refresh token is exchanged
 * for new tokens (RFC 6749, section 6).
 */
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { hostKind } from '../../base/addresses.ts';
import { isJsonObject, tryParseJson } from '../../protocols/json/fields.ts';
import { type RenewalMeans, refuseOthers } from '../provider.ts';

const header = z.string().regex(/^[a-z0-9-]{1,100}$/, 'expected the name of a header in lower case');
const printable = z.string().regex(/^[ -~]{1,500}$/, 'expected printable characters');

const settingsShape = z.strictObject({
  /** Where refresh tokens are exchanged; without it the credential is used until it is refused. */
  token_url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => hostKind(new URL(url).hostname) !== 'closed', {
      error: 'is link-local, or keeps the metadata of a cloud: nothing is ever sent there',
      abort: true,
    })
    .optional(),
  client_id: printable.optional(),
  /** Of the service's identity tokens; the origin of `token_url` when not given. */
  issuer: printable.optional(),
  /** The header that carries the account of the credential. */
  account_header: header.default('chatgpt-account-id'),
  /** Sent with every request: an originator, a beta. */
  headers: z.record(header, printable).default({}),
});

export type NativeSettings = z.output<typeof settingsShape>;

/** @throws Error with a sentence for the operator, which begins with the name of the setting at fault. */
export function readNativeSettings({
  timeoutsMs: _,
  ...settings
}: Readonly<Record<string, unknown>>): NativeSettings {
  refuseOthers(settings, Object.keys(settingsShape.shape));
  const reading = settingsShape.safeParse(settings);
  if (reading.success) return reading.data;
  const [name, ...rest] = reading.error.issues[0]?.path ?? [];
  const within = rest.length === 0 ? '' : `${rest.join('.')}: `;
  throw new Error(`${String(name)}: ${within}${reading.error.issues[0]?.message}`);
}

/** The credential as it is stored: one line of JSON. */
const secretShape = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  account_id: z.string().min(1).optional(),
  /** Seconds since the Unix epoch, or an ISO date. */
  expires_at: z.union([z.number().positive(), z.iso.datetime({ offset: true })]).optional(),
});

export type OAuthSecret = z.output<typeof secretShape>;

/** Null for text that is no such credential. */
export function readOAuthSecret(secret: string): OAuthSecret | null {
  return secretShape.safeParse(tryParseJson(secret)).data ?? null;
}

/** @throws Error with a sentence for the operator. */
export function checkCredential(secret: string): void {
  const json = tryParseJson(secret);
  const reading = secretShape.safeParse(json);
  if (reading.success) return;
  const name = isJsonObject(json) ? reading.error.issues[0]?.path[0] : undefined;
  throw new Error(
    `expected JSON such as {"access_token":"…","refresh_token":"…"}${name === undefined ? '' : `; ${String(name)} is missing or of another form`}`,
  );
}

/** Null when neither the credential nor its token says. */
export function readExpiryMs({ expires_at, access_token }: OAuthSecret): number | null {
  if (typeof expires_at === 'number') return expires_at * 1000;
  if (expires_at !== undefined) return Date.parse(expires_at);
  const claims = z.object({ exp: z.number().positive() }).safeParse(readClaims(access_token));
  return claims.success ? claims.data.exp * 1000 : null;
}

/** Of a token that is a JWT; only its time is wanted, so nothing is verified. */
function readClaims(token: string): unknown {
  const [, claims] = token.split('.');
  return claims === undefined ? null : tryParseJson(Buffer.from(claims, 'base64url').toString('utf8'));
}

const timeoutMs = 15_000;

/**
 * @returns the whole credential anew; a service that rotates refresh tokens has made the old one void.
 * @throws when the service refuses or cannot be reached.
 */
export async function renewToken(
  secret: string,
  settings: NativeSettings,
  { clock, fetch }: RenewalMeans,
): Promise<string> {
  const stored = readOAuthSecret(secret);
  if (stored?.refresh_token === undefined) throw new Error('the credential has no refresh token');
  const { token_url: tokenUrl, client_id: clientId } = settings;
  if (tokenUrl === undefined || clientId === undefined) {
    throw new Error('the provider has no settings token_url and client_id to renew its credential with');
  }
  const server = { issuer: settings.issuer ?? new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const limit = new AbortController();
  const timer = clock.after(timeoutMs, () => limit.abort());
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      stored.refresh_token,
      {
        signal: limit.signal,
        [oauth.customFetch]: fetch,
        // A service on the operator's own network; the settings say http where it is meant.
        [oauth.allowInsecureRequests]: tokenUrl.startsWith('http://'),
      },
    );
    const body = await oauth.processRefreshTokenResponse(server, client, await withTokensAlone(response));
    const renewed: OAuthSecret = {
      access_token: body.access_token,
      refresh_token: body.refresh_token ?? stored.refresh_token,
      ...(stored.account_id === undefined ? {} : { account_id: stored.account_id }),
      ...(body.expires_in === undefined
        ? {}
        : { expires_at: Math.floor(clock.nowMs() / 1000) + body.expires_in }),
    };
    return JSON.stringify(renewed);
  } finally {
    timer.cancel();
  }
}

/** RFC 6749, 5.2: the refresh token ended or was withdrawn, or the client may not use it. */
const finalErrors: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

export const isRefusedForGood = (thrown: unknown): boolean =>
  thrown instanceof oauth.ResponseBodyError && finalErrors.has(thrown.error);

/**
 * The answer without what nobody here asked for: an identity token of a form that the library would refuse must not
 * cost the tokens, since the old ones are void by now.
 */
async function withTokensAlone(response: Response): Promise<Response> {
  const text = await response.text();
  const json = tryParseJson(text);
  const { status } = response;
  const headers = { 'content-type': 'application/json' };
  if (!isJsonObject(json)) return new Response(text, { status, headers });
  const { id_token: _, ...tokens } = json;
  return new Response(JSON.stringify({ token_type: 'bearer', ...tokens }), { status, headers });
}
