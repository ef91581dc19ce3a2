/** The identity room: people, their API keys, sign-in links and sessions. */

export type { WorkParts } from '../storage/work.ts';
export { type Caller, CallerDirectory } from './caller-directory.ts';
export { type ApiKey, type KeyFields, type KeyScope, keyScopes } from './key.ts';
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
  findLinkOwner,
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
  listUsers,
  upsertManagedUser,
} from './users.ts';
