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
  { kind: 'password_changed', facts: { atMs, resetLink: `${site}/forgot-password` } },
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
    kind: 'change_address',
    facts: { link: `${site}/dashboard/settings/email?token=abc`, lifetimeMs: 24 * hourMs },
  },
  { kind: 'account_deleted', facts: { atMs } },
  { kind: 'address_changed', facts: { atMs, newAddress: 'ada@new.test' } },
];
