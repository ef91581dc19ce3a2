/** The identity room: people, their API keys, sign-in links and sessions. */
export { type Caller, type KeyScope, keyScopes } from './caller.ts';
export { CallerDirectory } from './caller-directory.ts';
export type { IdentityContext } from './context.ts';
export type { ApiKey, KeyFields } from './key.ts';
export {
  createKey,
  findKey,
  listKeys,
  revokeKey,
  touchKeys,
  upsertManagedKey,
} from './keys.ts';
export { findPasswordIssue } from './passwords.ts';
export {
  endSession,
  endSessionsOfUser,
  findSession,
  type Session,
  type StartedSession,
  startSession,
} from './sessions.ts';
export { createSignInLink, redeemSignInLink } from './sign-in-links.ts';
export { deriveStarterToken, isWellFormedToken, mintToken } from './token.ts';
export { type User, userRoles } from './user.ts';
export {
  createUser,
  findFirstOwner,
  findUser,
  findUserByEmail,
  type NewUser,
  upsertManagedUser,
} from './users.ts';
