/** The audit room: what was done to whom, by whom and when, and whether the record of it is whole. */
export type { Actor, AuditAction } from '../storage/audit-trail.ts';
export type { AuditField } from '../storage/schema/audit.ts';
export {
  type ActivityEntry,
  activityAreas,
  listActivity,
} from './activity.ts';
export { type NamesOfThings, nameThings } from './names.ts';
export { verifyTrail } from './verify.ts';
