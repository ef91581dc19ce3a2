/** The kinds of notification that a contact can have switched on or off, in the order of the account API's document. */

/** Under which heading people find a kind. */
export type KindGroup = 'account' | 'money' | 'trial' | 'subscription' | 'servers';

interface PreferenceKind {
  readonly kind: string;
  readonly group: KindGroup;
  /** Whether a contact is told of it from its first moment: what is about security, money or an end is. */
  readonly isOnByDefault: boolean;
}

const on = (kind: string, group: KindGroup): PreferenceKind => ({ kind, group, isOnByDefault: true });
const off = (kind: string, group: KindGroup): PreferenceKind => ({ kind, group, isOnByDefault: false });

/** The table `notification_kinds` has the same, by a migration, since the database gives a contact its preferences. */
export const preferenceKinds = [
  on('trial_expire', 'trial'),
  on('trial_expire_soon', 'trial'),
  on('payment', 'money'),
  on('payment_approved', 'money'),
  on('payment_cancelled', 'money'),
  on('payment_failed', 'money'),
  on('payment_withheld', 'money'),
  on('subscription_renewal_success', 'subscription'),
  on('subscription_renewal_failure', 'subscription'),
  off('subscription_renewal_soon', 'subscription'),
  off('subscription_renewal_very_soon', 'subscription'),
  on('subscription_expire', 'subscription'),
  on('subscription_expire_soon', 'subscription'),
  on('subscription_expire_very_soon', 'subscription'),
  on('out_of_money_soon', 'money'),
  on('out_of_money_very_soon', 'money'),
  on('stop_servers', 'servers'),
  off('drives_delete', 'servers'),
  off('drives_delete_soon', 'servers'),
  on('new_account', 'account'),
  on('reset_password', 'account'),
  off('random_upgrade', 'servers'),
] as const satisfies readonly PreferenceKind[];
