/**
 * The table of events: which preference of a contact each belongs to, what its mail tells, and where the mail leads. A
 * webhook knows an event by its kind here.
 */
import { type EventFacts, type EventKind, eventFacts } from '../storage/events.ts';
import type { MailNews } from './mail-kinds.ts';

/** The kinds of preferences that something here raises. */
export type RaisedPreference =
  | 'trial_expire'
  | 'trial_expire_soon'
  | 'payment'
  | 'payment_approved'
  | 'payment_cancelled'
  | 'subscription_expire'
  | 'subscription_expire_soon'
  | 'subscription_expire_very_soon'
  | 'out_of_money_soon'
  | 'out_of_money_very_soon'
  | 'stop_servers'
  | 'new_account';

/** Those that nothing raises, with the reason. */
export const kindsWithoutEvent = {
  /** Sent at once to whoever asks for it, whatever is preferred: without it nobody gets in again. */
  reset_password: 'a mail of its own, which ignores preferences',
  payment_failed: 'no card processor is connected yet',
  payment_withheld: 'no card processor is connected yet',
  subscription_renewal_success: 'nothing here is a subscription that renews itself',
  subscription_renewal_failure: 'nothing here is a subscription that renews itself',
  subscription_renewal_soon: 'nothing here is a subscription that renews itself',
  subscription_renewal_very_soon: 'nothing here is a subscription that renews itself',
  drives_delete: 'there are no drives',
  drives_delete_soon: 'there are no drives',
  random_upgrade: 'nothing is upgraded by chance',
} as const;

interface EventRow<Kind extends EventKind> {
  /** Null where no contact is told: a mail of its own goes to whom it is about, or only webhooks are told. */
  readonly mail: {
    readonly preference: (facts: EventFacts<Kind>) => RaisedPreference;
    /** @param url where the service is reached. */
    readonly news: (facts: EventFacts<Kind>, url: string) => Unchecked;
  } | null;
  /** Whether webhooks can choose it. */
  readonly isForWebhooks: boolean;
  /** Facts that an organisation's webhooks are not sent, since they are about a person and not about their work. */
  readonly personal?: readonly (keyof EventFacts<Kind>)[];
}

/** As it is before a mail's own schema has looked at it. */
interface Unchecked {
  readonly kind: MailNews['kind'];
  readonly facts: Readonly<Record<string, unknown>>;
}

const home = '/dashboard';
const webhooksAlone = { mail: null, isForWebhooks: true } as const;
const steps = (percent: number): RaisedPreference =>
  percent < 100 ? 'out_of_money_soon' : 'out_of_money_very_soon';

export const eventKinds: { readonly [Kind in EventKind]: EventRow<Kind> } = {
  'account.created': {
    mail: {
      preference: () => 'new_account',
      news: (_, url) => ({ kind: 'welcome', facts: { link: `${url}${home}` } }),
    },
    isForWebhooks: true,
  },
  // Of these four a mail goes to the account itself, at once and whatever it prefers.
  'account.email_changed': webhooksAlone,
  'account.password_changed': webhooksAlone,
  'account.password_reset': webhooksAlone,
  // Where somebody is when they sign in is theirs to know; that it happened, and with what, is their organisation's.
  'account.new_browser': { ...webhooksAlone, personal: ['address'] },
  'wallet.low': {
    mail: { preference: () => 'out_of_money_soon', news: (facts, url) => lowBalance(facts, url, false) },
    isForWebhooks: true,
  },
  'wallet.very_low': {
    mail: { preference: () => 'out_of_money_very_soon', news: (facts, url) => lowBalance(facts, url, true) },
    isForWebhooks: true,
  },
  'wallet.credit_threshold': {
    mail: {
      preference: ({ percent }) => steps(percent),
      news: ({ percent, used_usd: usedUsd, limit_usd: limitUsd }, url) => ({
        kind: 'credit_threshold',
        facts: { percent, usedUsd, limitUsd, link: `${url}${home}` },
      }),
    },
    isForWebhooks: true,
  },
  'budget.threshold': {
    mail: {
      preference: ({ percent }) => steps(percent),
      news: ({ percent, spent_usd: spentUsd, limit_usd: limitUsd, period, subject }, url) => ({
        kind: 'budget_threshold',
        facts: {
          ...{ percent, spentUsd, limitUsd, period, subject: subject.kind, subjectName: subject.name },
          link: `${url}/dashboard/usage`,
        },
      }),
    },
    isForWebhooks: true,
  },
  'key.expires_soon': {
    mail: {
      preference: ({ days }) => (days > 1 ? 'subscription_expire_soon' : 'subscription_expire_very_soon'),
      news: (facts, url) => keyNews(facts, url, facts.days),
    },
    isForWebhooks: true,
  },
  'key.expired': {
    mail: { preference: () => 'subscription_expire', news: (facts, url) => keyNews(facts, url, 0) },
    isForWebhooks: true,
  },
  'promotion.expires_soon': {
    mail: {
      preference: () => 'trial_expire_soon',
      news: ({ name, remaining_usd: remainingUsd, expires_at: at }, url) => ({
        kind: 'promotion_expires',
        facts: { promotion: name, remainingUsd, atMs: Date.parse(at), link: `${url}${home}` },
      }),
    },
    isForWebhooks: true,
  },
  'promotion.expired': {
    mail: {
      preference: () => 'trial_expire',
      news: ({ name, expired_usd: expiredUsd }, url) => ({
        kind: 'promotion_expired',
        facts: { promotion: name, expiredUsd, link: `${url}${home}` },
      }),
    },
    isForWebhooks: true,
  },
  'payment.received': {
    mail: { preference: () => 'payment', news: (facts, url) => paid(facts, url, false) },
    isForWebhooks: true,
  },
  'payment.approved': {
    mail: { preference: () => 'payment_approved', news: (facts, url) => paid(facts, url, true) },
    isForWebhooks: true,
  },
  'payment.cancelled': {
    mail: {
      preference: () => 'payment_cancelled',
      news: ({ amount_usd: amountUsd, reference }, url) => ({
        kind: 'payment_cancelled',
        facts: { amountUsd, reference, link: `${url}${home}` },
      }),
    },
    isForWebhooks: true,
  },
  'provider.troubled': {
    mail: {
      preference: () => 'stop_servers',
      news: (facts, url) => ({
        kind: 'provider_troubled',
        facts: { ...facts, link: `${url}/dashboard/models` },
      }),
    },
    isForWebhooks: true,
  },
  'provider.recovered': {
    mail: {
      preference: () => 'stop_servers',
      news: ({ provider, troubled_since: since }, url) => ({
        kind: 'provider_recovered',
        facts: { provider, sinceMs: Date.parse(since), link: `${url}/dashboard/models` },
      }),
    },
    isForWebhooks: true,
  },
  'webhook.paused': {
    mail: {
      preference: () => 'stop_servers',
      news: ({ webhook_id: id, name, failures }, url) => ({
        kind: 'webhook_paused',
        facts: { webhook: name, failures, link: `${url}/dashboard/settings/webhooks/${id}` },
      }),
    },
    isForWebhooks: true,
  },
  // Sent to the one webhook that somebody tries.
  'webhook.test': { mail: null, isForWebhooks: false },
};

export const webhookEvents: readonly [EventKind, ...EventKind[]] = chosenByWebhooks();

function chosenByWebhooks(): [EventKind, ...EventKind[]] {
  const kinds = Object.keys(eventKinds).filter(isEventKind);
  const [first, ...others] = kinds.filter((kind) => eventKinds[kind].isForWebhooks);
  if (first === undefined) throw new Error('there is no event for webhooks');
  return [first, ...others];
}

export function isEventKind(text: string): text is EventKind {
  return Object.hasOwn(eventFacts, text);
}

function lowBalance(
  { balance_usd: balanceUsd, level_usd: levelUsd }: EventFacts<'wallet.low'>,
  url: string,
  isVeryLow: boolean,
): Unchecked {
  return { kind: 'wallet_low', facts: { isVeryLow, balanceUsd, levelUsd, link: `${url}${home}` } };
}

function keyNews(
  { key_id: id, name, expires_at: at }: EventFacts<'key.expired'>,
  url: string,
  days: number,
): Unchecked {
  const link = `${url}/dashboard/keys/${id}`;
  return { kind: 'key_expires', facts: { key: name, days, atMs: Date.parse(at), link } };
}

function paid(
  { amount_usd: amountUsd, reference }: EventFacts<'payment.received'>,
  url: string,
  isApproved: boolean,
): Unchecked {
  return { kind: 'payment_received', facts: { isApproved, amountUsd, reference, link: `${url}${home}` } };
}
