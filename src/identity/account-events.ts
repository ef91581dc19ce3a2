/** What is told of accounts beside what the audit trail has. */
import { type EventFacts, type EventKind, raiseEvent } from '../storage/events.ts';
import type { Work } from '../storage/work.ts';

type AccountEvent = Extract<
  EventKind,
  'account.email_changed' | 'account.password_changed' | 'account.password_reset'
>;

export async function tellOfAccount(work: Work, kind: AccountEvent, userId: number): Promise<void> {
  await raiseEvent(work, { kind, facts: {}, audience: { of: 'account', id: userId } });
}

/** Somebody signed in from a browser that has no word of an earlier sign-in. */
export async function raiseNewBrowser(
  work: Work,
  userId: number,
  from: EventFacts<'account.new_browser'>,
): Promise<void> {
  await raiseEvent(work, {
    kind: 'account.new_browser',
    facts: from,
    audience: { of: 'account', id: userId },
  });
}

/** From when on an account can be used, however it came to be; those of the configuration file are no news. */
export async function tellOfNewAccount(
  work: Work,
  user: { readonly id: number; readonly status: string; readonly managedBy: string | null },
): Promise<void> {
  if (user.status !== 'active' || user.managedBy !== null) return;
  await raiseEvent(work, {
    kind: 'account.created',
    facts: {},
    audience: { of: 'account', id: user.id },
    once: String(user.id),
  });
}
