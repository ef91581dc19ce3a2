/** The identity room: people, their API keys, sign-in links and sessions. */

export { type AgreeingParts, withDatabaseTime } from '../storage/agreed-time.ts';
export { transact, type Work, type WorkParts } from '../storage/work.ts';
export { raiseNewBrowser } from './account-events.ts';
export {
  findRemovalObstacle,
  isNamedByFile,
  type KeptElsewhere,
  type RemovalObstacle,
  removeAccount,
} from './account-removal.ts';
export { changeAccountStatus } from './account-status.ts';
export { type Admission, admit, signInByLink } from './admission.ts';
export type { Caller } from './caller.ts';
export { CallerDirectory } from './caller-directory.ts';
export {
  addExportPart,
  claimDataExport,
  type DataExport,
  type ExportClaim,
  findDataExport,
  finishDataExport,
  leaveDataExport,
  noteExportDownloaded,
  readExportPart,
  removeOldExports,
  requestDataExport,
} from './data-exports.ts';
export { readDataLocks, readKeyLocks, setDataLock } from './data-locks.ts';
export { changeEmail, findEmailChange, requestEmailChange } from './email-change.ts';
export { expiredKeeper } from './expired-keeper.ts';
export { type GroupKind, nameGroups } from './group-names.ts';
export { holdPerson } from './hold-person.ts';
export type { Invite } from './invite.ts';
export { acceptInvite, createInvite, findInvite, listInvites, revokeInvite } from './invites.ts';
export { type ApiKey, type KeyFields, type KeyScope, keyScopes } from './key.ts';
export {
  changeKey,
  endKey,
  endUndeclaredKeys,
  holdKey,
  makeKey,
  mayHold,
  mayManageKeysOf,
  overtakeFormsOf,
  setKeyEnabled,
} from './key-changes.ts';
export { expiryKeeper, listEndingKeys } from './key-ends.ts';
export {
  type KeyOwner,
  type KeyPage,
  type KeyState,
  keySorts,
  keyStates,
  type ListedKey,
  listKeyPage,
  listLatestKeys,
  stateOfKey,
} from './key-list.ts';
export { groupOfKey, listProjects, type Project } from './key-place.ts';
export { endOverlap, mostOverlapHours, rotateKey, usualOverlapHours } from './key-rotation.ts';
export {
  createKey,
  findKey,
  holdManagedKeys,
  listKeys,
  revokeKey,
  touchKeys,
  upsertManagedKey,
} from './keys.ts';
export { acceptLegal, findLastAcceptance, listAcceptances, mustAccept } from './legal.ts';
export {
  type ArrivalRefusal,
  type Arrived,
  arriveByProvider,
  type LinkedIdentity,
  linkIdentity,
  listIdentities,
  ownerOfAddress,
  type ProviderIdentity,
  unlinkIdentity,
} from './linked-identities.ts';
export {
  hasKey,
  hasSecondFactor,
  nameKeys,
  namePeople,
  portalKeyName,
  searchKeys,
  searchPeople,
} from './names.ts';
export {
  findTokenHolder,
  issueToken,
  type OneTimeToken,
  redeemToken,
} from './one-time-tokens.ts';
export {
  type Department,
  findOrganisation,
  findOrganisationIdBySlug,
  findPartByName,
  findProject,
  foundOrganisation,
  listDepartments,
  listOrganisations,
  type Organisation,
  upsertManagedOrganisation,
} from './organisations.ts';
export {
  addPasskey,
  askForNewPasskey,
  askForPasskey,
  listPasskeys,
  newPasskeyFields,
  type Passkey,
  passkeyProofFields,
  type RelyingParty,
  removePasskey,
  signInByPasskey,
} from './passkeys.ts';
export { changePassword, findReset, requestReset, resetPassword } from './password-change.ts';
export { PasswordDirectory } from './password-directory.ts';
export { signInByPassword } from './password-sign-in.ts';
export { findPasswordIssue } from './passwords.ts';
export { listPayingKeys } from './paying-keys.ts';
export { changeProfile, readProfile, saveDisplayName } from './profile.ts';
export { isFresh, requireProof } from './recent-proof.ts';
export {
  findVerification,
  type Registered,
  register,
  requestVerification,
  verifyEmail,
} from './registration.ts';
export { type ResellerHost, ResellerHosts, replaceManagedHosts } from './reseller-hosts.ts';
export { type AdminView, isAtLeast, mayGrant, scopeOf, widestScope } from './roles.ts';
export { type GivenSecondStep, redeemCode, takeSecondStep } from './second-factor.ts';
export {
  endSessionById,
  endSessionsOfUser,
  findSession,
  listSessions,
  type Session,
  type SessionEntry,
  type SessionStart,
  type StartedSession,
  sessionCookieName,
  setAdminView,
  signOut,
  startSession,
} from './sessions.ts';
export { giveOneBack, take } from './throttle.ts';
export { deriveStarterToken, isWellFormedToken, mintToken } from './token.ts';
export {
  beginTotp,
  confirmTotp,
  findPendingTotp,
  readTotpState,
  removeTotp,
  renewRecoveryCodes,
  resealSecondFactors,
  type TotpState,
} from './totp.ts';
export { unverifiedKeeper } from './unverified-keeper.ts';
export { type User, type UserRole, userRoles } from './user.ts';
export {
  createUser,
  findFirstOwner,
  findUser,
  findUserByEmail,
  listUsers,
  newPasswordField,
  releaseUndeclaredUsers,
  upsertManagedUser,
} from './users.ts';
