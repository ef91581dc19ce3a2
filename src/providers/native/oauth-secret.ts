/** The credential of an account-bound service, as it is stored: one line of JSON. */
import { z } from 'zod';
import { isJsonObject, tryParseJson } from '../../protocols/json/fields.ts';

const shape = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  account_id: z.string().min(1).optional(),
  /** Seconds since the Unix epoch, or an ISO date. */
  expires_at: z.union([z.number().positive(), z.iso.datetime({ offset: true })]).optional(),
});

export type OAuthSecret = z.output<typeof shape>;

/** Null for text that is no such credential. */
export function readOAuthSecret(secret: string): OAuthSecret | null {
  return shape.safeParse(tryParseJson(secret)).data ?? null;
}

/** @throws Error with a sentence for the operator. */
export function checkCredential(secret: string): void {
  const json = tryParseJson(secret);
  const reading = shape.safeParse(json);
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
