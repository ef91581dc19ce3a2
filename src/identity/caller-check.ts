/** Whether a known caller may act at all, now. */
import { AppError } from '../base/errors.ts';
import type { Caller } from './caller.ts';

/**
 * The caller itself when its key works and its owner is active.
 * @throws AppError `token_revoked`, `token_expired`, `invalid_token` for a disabled key, `account_suspended`.
 */
export function requireUsable(caller: Caller, nowMs: number): Caller {
  if (caller.revoked) {
    throw new AppError({
      code: 'token_revoked',
      public: 'This API key was revoked. Use another, or create one.',
    });
  }
  if (caller.expiresAtMs !== null && caller.expiresAtMs <= nowMs) {
    throw new AppError({
      code: 'token_expired',
      public: `This API key expired at ${new Date(caller.expiresAtMs).toISOString()}. Use another, or create one.`,
    });
  }
  if (!caller.enabled) {
    throw new AppError({
      code: 'invalid_token',
      public: 'This API key is disabled. Enable it in its settings, or use another.',
    });
  }
  if (caller.userStatus !== 'active') throw ownerRefusal(caller.userStatus);
  return caller;
}

function ownerRefusal(status: string): AppError {
  switch (status) {
    case 'unverified':
      return new AppError({
        code: 'account_suspended',
        public:
          "The e-mail address of this key's owner is not verified yet. Follow the link in the mail first.",
      });
    case 'archived':
      return new AppError({
        code: 'token_revoked',
        public: 'The account of this API key was closed, and its keys with it.',
      });
    default:
      return new AppError({
        code: 'account_suspended',
        public: 'The account of this API key is suspended. Its owner can see why by signing in.',
      });
  }
}
