/** Secrets that only ever travel in a link or a cookie. */
import type { Ids } from '../base/ids.ts';

/** 256 random bits in base64url. */
export function mintSecret(ids: Ids): string {
  return Buffer.from(ids.randomBytes(32)).toString('base64url');
}
