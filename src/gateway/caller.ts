/** Who calls: the token of a request, and what its key and its owner permit. */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Caller, CallerDirectory, KeyScope } from '../identity/index.ts';

const bearer = /^Bearer\s+(\S+)\s*$/i;

/** An endpoint whose clients send their token in a place of their own. */
interface TokenFinder {
  findToken?(http: Request): string | null;
}

/**
 * @throws AppError missing_token when there is none, and what the directory throws for one that does not hold.
 */
export function identifyCaller(
  http: Request,
  { findToken }: TokenFinder,
  directory: CallerDirectory,
): MaybePromise<Caller> {
  const { headers } = http;
  const authorization = headers.get('authorization');
  if (authorization !== null) {
    const match = bearer.exec(authorization);
    if (match?.[1] !== undefined) return directory.find(match[1]);
    throw new AppError({
      code: 'missing_token',
      public: 'The Authorization header must be of the form: Bearer <API token>.',
    });
  }
  const apiKey = headers.get('x-api-key');
  if (apiKey !== null) return directory.find(apiKey.trim());
  const own = findToken?.(http);
  if (own != null) return directory.find(own.trim());
  throw new AppError({
    code: 'missing_token',
    public: 'No API token was given. Send it as: Authorization: Bearer <API token>.',
  });
}

/** @throws AppError scope_missing. */
export function requireScope(caller: Caller, anyOf: readonly KeyScope[]): void {
  if (anyOf.some((scope) => caller.scopes.has(scope))) return;
  throw new AppError({
    code: 'scope_missing',
    public: `This key does not have the scope ${anyOf.map((scope) => `"${scope}"`).join(' or ')} that this address needs.`,
  });
}
