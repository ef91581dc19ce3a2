/** One mail of each kind, with facts as they are and links that are told apart. */
import type { MailNews } from '../mail-kinds.ts';

const hourMs = 3_600_000;
const atMs = Date.UTC(2030, 2, 1, 9, 5);
const site = 'https://sluice.test';

export const sampleMails: readonly MailNews[] = [
  { kind: 'verify_address', facts: { link: `${site}/verify-email?token=abc`, lifetimeMs: 24 * hourMs } },
  {
    kind: 'address_taken',
    facts: { signInLink: `${site}/login`, resetLink: `${site}/forgot-password` },
  },
  { kind: 'reset_password', facts: { link: `${site}/reset-password?token=abc`, lifetimeMs: hourMs } },
  {
    kind: 'password_changed',
    facts: {
      ...{ atMs, resetLink: `${site}/forgot-password` },
      ...{ passkeys: 2, providers: 1, waysLink: `${site}/dashboard/settings/security` },
    },
  },
  {
    kind: 'invitation',
    facts: {
      link: `${site}/invite/abc`,
      lifetimeMs: 7 * 24 * hourMs,
      inviter: 'Ada Lovelace',
      organisation: 'Analytical Engines',
    },
  },
  {
    kind: 'new_sign_in',
    facts: {
      atMs,
      device: 'Firefox on Linux',
      address: '203.0.113.7',
      sessionsLink: `${site}/account/sessions`,
    },
  },
  {
    kind: 'codes_guessed',
    facts: { atMs, address: '203.0.113.7', resetLink: `${site}/forgot-password` },
  },
  {
    kind: 'sign_in_changed',
    facts: {
      ...{ change: 'passkey_added', atMs, what: 'Laptop' },
      waysLink: `${site}/dashboard/settings/security`,
    },
  },
  {
    kind: 'change_address',
    facts: { link: `${site}/dashboard/settings/email?token=abc`, lifetimeMs: 24 * hourMs },
  },
  { kind: 'account_deleted', facts: { atMs } },
  { kind: 'address_changed', facts: { atMs, newAddress: 'ada@new.test' } },
  { kind: 'welcome', facts: { link: `${site}/dashboard` } },
  {
    kind: 'wallet_low',
    facts: { isVeryLow: false, balanceUsd: '9.871234', levelUsd: '10', link: `${site}/dashboard` },
  },
  {
    kind: 'credit_threshold',
    facts: { percent: 80, usedUsd: '81.50', limitUsd: '100', link: `${site}/dashboard` },
  },
  {
    kind: 'budget_threshold',
    facts: {
      ...{ percent: 100, spentUsd: '50.01', limitUsd: '50', period: 'monthly', subject: 'department' },
      ...{ subjectName: 'Research', link: `${site}/dashboard/usage` },
    },
  },
  { kind: 'key_expires', facts: { key: 'nightly', days: 7, atMs, link: `${site}/dashboard/keys/1` } },
  {
    kind: 'promotion_expires',
    facts: { promotion: 'Spring', remainingUsd: '4.20', atMs, link: `${site}/dashboard` },
  },
  {
    kind: 'promotion_expired',
    facts: { promotion: 'Spring', expiredUsd: '4.20', link: `${site}/dashboard` },
  },
  {
    kind: 'payment_received',
    facts: { isApproved: true, amountUsd: '25', reference: 'Invoice 7', link: `${site}/dashboard` },
  },
  {
    kind: 'payment_cancelled',
    facts: { amountUsd: '25', reference: 'Invoice 7', link: `${site}/dashboard` },
  },
  {
    kind: 'provider_troubled',
    facts: { provider: 'atlas', attempts: 40, failures: 31, link: `${site}/dashboard/models` },
  },
  {
    kind: 'provider_recovered',
    facts: { provider: 'atlas', sinceMs: atMs, link: `${site}/dashboard/models` },
  },
  {
    kind: 'webhook_paused',
    facts: { webhook: 'on call', failures: 8, link: `${site}/dashboard/settings/webhooks/1` },
  },
];
