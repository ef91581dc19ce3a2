/** Exchanges a refresh token for new tokens (RFC 6749, section 6). */
import * as oauth from 'oauth4webapi';
import { isJsonObject, tryParseJson } from '../../protocols/json/fields.ts';
import { type OAuthSecret, readOAuthSecret } from './oauth-secret.ts';
import type { NativeSettings } from './settings.ts';

const timeoutMs = 15_000;

/**
 * @returns the whole credential anew; a service that rotates refresh tokens has made the old one void.
 * @throws when the service refuses or cannot be reached.
 */
export async function renewToken(secret: string, settings: NativeSettings): Promise<string> {
  const stored = readOAuthSecret(secret);
  if (stored?.refresh_token === undefined) throw new Error('the credential has no refresh token');
  const { token_url: tokenUrl, client_id: clientId } = settings;
  if (tokenUrl === undefined || clientId === undefined) {
    throw new Error('the provider has no settings token_url and client_id to renew its credential with');
  }
  const server = { issuer: settings.issuer ?? new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), stored.refresh_token, {
    signal: AbortSignal.timeout(timeoutMs),
    // A service on the operator's own network; the settings say http where it is meant.
    [oauth.allowInsecureRequests]: tokenUrl.startsWith('http://'),
  });
  const body = await oauth.processRefreshTokenResponse(server, client, await withTokensAlone(response));
  const renewed: OAuthSecret = {
    access_token: body.access_token,
    refresh_token: body.refresh_token ?? stored.refresh_token,
    ...(stored.account_id === undefined ? {} : { account_id: stored.account_id }),
    ...(body.expires_in === undefined ? {} : { expires_at: Math.floor(Date.now() / 1000) + body.expires_in }),
  };
  return JSON.stringify(renewed);
}

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
