/** The identity room: people, their API keys, sign-in links and sessions. */

export type { WorkParts } from '../storage/work.ts';
export { type Caller, type KeyScope, keyScopes } from './caller.ts';
export { CallerDirectory } from './caller-directory.ts';
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
  createSignInLink,
  endSession,
  endSessionsOfUser,
  findSession,
  redeemSignInLink,
  type Session,
  type StartedSession,
  signInByLink,
  signOut,
  startSession,
} from './sessions.ts';
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
