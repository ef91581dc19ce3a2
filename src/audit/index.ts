/** The audit room: what was done to whom, by whom and when, and whether the record of it is whole. */
export type { Actor, AuditAction } from '../storage/audit-trail.ts';
export { auditActions } from '../storage/audit-trail.ts';
export {
  type ActivityAsked,
  type ActivityEntry,
  type ActivityPage,
  activityAreas,
  listActivity,
} from './activity.ts';
export { type TrailBreach, type TrailReport, verifyTrail } from './verify.ts';
