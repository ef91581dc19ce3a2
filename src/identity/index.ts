/** The identity room: people, their API keys, sign-in links and sessions. */

export type { WorkParts } from '../storage/work.ts';
export { type Caller, type KeyScope, keyScopes } from './caller.ts';
export { CallerDirectory } from './caller-directory.ts';
export type { ApiKey, KeyFields } from './key.ts';
export {
  createKey,
  listKeys,
  revokeKey,
  touchKeys,
  upsertManagedKey,
} from './keys.ts';
export { findPasswordIssue } from './passwords.ts';
export {
  createSignInLink,
  findSession,
  type Session,
  type StartedSession,
  signInByLink,
  signOut,
} from './sessions.ts';
export { deriveStarterToken, isWellFormedToken, mintToken } from './token.ts';
export { type User, userRoles } from './user.ts';
export {
  createUser,
  findFirstOwner,
  findUserByEmail,
  upsertManagedUser,
} from './users.ts';
