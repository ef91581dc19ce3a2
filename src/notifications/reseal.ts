/** What this room keeps sealed, under another service secret. */
import type { Database } from '../storage/database.ts';
import { type Resealed, resealColumn, type Seals } from '../storage/reseal-column.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { webhooks } from '../storage/schema/webhooks.ts';

export function resealMails(db: Database, seals: Seals): Promise<Resealed> {
  const { id: key, sealedContent: column } = mailOutbox;
  return resealColumn(db, { table: mailOutbox, key, member: 'sealedContent', column }, seals);
}

export function resealWebhooks(db: Database, seals: Seals): Promise<Resealed> {
  const { id: key, sealedSecret: column } = webhooks;
  return resealColumn(db, { table: webhooks, key, member: 'sealedSecret', column }, seals);
}

/** The secrets that others have taken the place of. */
export function resealFormerWebhooks(db: Database, seals: Seals): Promise<Resealed> {
  const { id: key, sealedPreviousSecret: column } = webhooks;
  return resealColumn(db, { table: webhooks, key, member: 'sealedPreviousSecret', column }, seals);
}
