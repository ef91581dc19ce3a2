/** Every kind of mail, with the facts that it tells. */
import { z } from 'zod';

const longestName = 80;

/**
 * A name that somebody chose for themself. Mail programs make links of whatever looks like an address; the spaces
 * without width keep them from it.
 */
const name = z.string().transform((text) =>
  Array.from(text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim())
    .slice(0, longestName)
    .join('')
    .replaceAll(/(?<=\S)[.:/@](?=\S)/gu, '$&\u200b'),
);
/** Absolute; may hold a secret. */
const link = z.url({ protocol: /^https?$/ });
const milliseconds = z.number().int().nonnegative();
const count = z.number().int().nonnegative();
const percent = count;
const waysChanged = [
  'passkey_added',
  'passkey_removed',
  'provider_linked',
  'provider_unlinked',
  'two_step_on',
  'two_step_off',
  'recovery_codes_renewed',
] as const;
/** An amount as a decimal. */
const usd = z.templateLiteral([z.number()]);

export const mailKinds = {
  /** To who made an account, before it is good for anything. */
  verify_address: z.object({ link, lifetimeMs: milliseconds }),
  /** To whose account there is already when somebody registers with their address: the answer to that does not say so. */
  address_taken: z.object({ signInLink: link, resetLink: link }),
  reset_password: z.object({ link, lifetimeMs: milliseconds }),
  /**
   * `resetLink` is where another one is asked for. What else signs in stays as it was, and can be removed at `waysLink`;
   * a mail that was queued before that was told has none of it.
   */
  password_changed: z.object({
    ...{ atMs: milliseconds, resetLink: link },
    ...{ passkeys: count.default(0), providers: count.default(0), waysLink: link.nullable().default(null) },
  }),
  invitation: z.object({ link, lifetimeMs: milliseconds, inviter: name, organisation: name }),
  /** From a browser that was not seen before. `device` is browser and system in words, `address` the network's. */
  new_sign_in: z.object({ atMs: milliseconds, device: name, address: name, sessionsLink: link }),
  /** Somebody has the first factor of who is asked for a second, and guesses at that. `address` is the network's. */
  codes_guessed: z.object({ atMs: milliseconds, address: name, resetLink: link }),
  /** Something signs in from now on, or no more. `what` is its name, and empty where it has none. */
  sign_in_changed: z.object({
    change: z.enum(waysChanged),
    ...{ atMs: milliseconds, what: name, waysLink: link },
  }),
  /** To the address that somebody wants for their account. */
  change_address: z.object({ link, lifetimeMs: milliseconds }),
  account_deleted: z.object({ atMs: milliseconds }),
  /** To the address that was theirs until then. */
  address_changed: z.object({ atMs: milliseconds, newAddress: name }),
  // What follows is told of events, to the contacts who want it (`event-kinds.ts`).
  welcome: z.object({ link }),
  wallet_low: z.object({ isVeryLow: z.boolean(), balanceUsd: usd, levelUsd: usd, link }),
  credit_threshold: z.object({ percent, usedUsd: usd, limitUsd: usd, link }),
  budget_threshold: z.object({
    percent,
    spentUsd: usd,
    limitUsd: usd,
    period: z.enum(['daily', 'weekly', 'monthly', 'total']),
    subject: z.enum(['key', 'user', 'department', 'project', 'organisation']),
    subjectName: name,
    link,
  }),
  /** `days` is 0 once it is over. */
  key_expires: z.object({ key: name, days: z.number().int().nonnegative(), atMs: milliseconds, link }),
  promotion_expires: z.object({ promotion: name, remainingUsd: usd, atMs: milliseconds, link }),
  promotion_expired: z.object({ promotion: name, expiredUsd: usd, link }),
  payment_received: z.object({ isApproved: z.boolean(), amountUsd: usd, reference: name, link }),
  payment_cancelled: z.object({ amountUsd: usd, reference: name, link }),
  provider_troubled: z.object({ provider: name, attempts: count, failures: count, link }),
  provider_recovered: z.object({ provider: name, sinceMs: milliseconds, link }),
  webhook_paused: z.object({ webhook: name, failures: count, link }),
} as const satisfies Record<string, z.ZodType>;

export type MailKind = keyof typeof mailKinds;
/** Those that are queued by who causes them, to one address, and that nobody can have stopped. */
export type OwnMailKind =
  | 'verify_address'
  | 'address_taken'
  | 'reset_password'
  | 'password_changed'
  | 'invitation'
  | 'new_sign_in'
  | 'codes_guessed'
  | 'sign_in_changed'
  | 'change_address'
  | 'account_deleted'
  | 'address_changed';
export type MailFacts<Kind extends MailKind> = z.output<(typeof mailKinds)[Kind]>;

/** A kind and its facts. */
export type MailNews = {
  readonly [Kind in MailKind]: { readonly kind: Kind; readonly facts: MailFacts<Kind> };
}[MailKind];

/** @throws ZodError when facts are missing or no such kind is known, as in a row of another version. */
export function readNews(kind: string, facts: unknown): MailNews {
  return news.parse({ kind, facts });
}

const of = <Kind extends MailKind>(kind: Kind) =>
  z.object({ kind: z.literal(kind), facts: mailKinds[kind] as (typeof mailKinds)[Kind] });

const news = z.discriminatedUnion('kind', [
  of('verify_address'),
  of('address_taken'),
  of('reset_password'),
  of('password_changed'),
  of('invitation'),
  of('new_sign_in'),
  of('codes_guessed'),
  of('sign_in_changed'),
  of('change_address'),
  of('account_deleted'),
  of('address_changed'),
  of('welcome'),
  of('wallet_low'),
  of('credit_threshold'),
  of('budget_threshold'),
  of('key_expires'),
  of('promotion_expires'),
  of('promotion_expired'),
  of('payment_received'),
  of('payment_cancelled'),
  of('provider_troubled'),
  of('provider_recovered'),
  of('webhook_paused'),
]);
