/** Every page there is, one row each: what the checks look at and the command takes pictures of. */
import type { TestSluice } from '../support/sluice.ts';
import {
  invitePath,
  mailPath,
  newcomer,
  owner,
  resetPath,
  signInPath,
  unverified,
  type Visitor,
  verifyPath,
} from './site.ts';

export interface PageRow {
  /** Also the name of its pictures: lower-case words with hyphens. */
  readonly name: string;
  readonly path: string | ((site: TestSluice) => Promise<string>);
  /** Nobody when not given. */
  readonly as?: Visitor;
  /** 200 when not given. */
  readonly status?: number;
}

export const pages: readonly PageRow[] = [
  { name: 'home', path: '/' },
  { name: 'home-sign-in-needed', path: '/?sign-in=needed' },
  { name: 'sign-in-link', path: (site) => signInPath(site, owner) },
  { name: 'sign-in-link-spent', path: '/sign-in/spent', status: 410 },
  { name: 'login', path: '/login' },
  { name: 'signup', path: '/signup' },
  { name: 'forgot-password', path: '/forgot-password' },
  { name: 'mail-sent', path: '/forgot-password?sent=1' },
  { name: 'reset-password', path: (site) => resetPath(site, newcomer) },
  { name: 'reset-password-over', path: '/reset-password?token=over', status: 410 },
  { name: 'verify-email', path: (site) => verifyPath(site, unverified) },
  { name: 'verify-email-waiting', path: '/verify-email', as: 'unverified' },
  { name: 'verify-email-over', path: '/verify-email?token=over', status: 410 },
  { name: 'invite', path: (site) => invitePath(site, newcomer) },
  { name: 'invite-over', path: '/invite/over', status: 410 },
  { name: 'suspended', path: '/account/suspended' },
  { name: 'archived', path: '/account/archived' },
  { name: 'new-terms', path: '/legal/accept', as: 'unverified' },
  { name: 'settings', path: '/dashboard/settings', as: 'newcomer' },
  { name: 'invitations', path: '/dashboard/admin/users/invite', as: 'owner' },
  { name: 'not-found', path: '/no-such-page', status: 404 },
  ...['terms', 'aup', 'privacy', 'cookies', 'dpa', 'refund', 'billing', 'security'].map((name) => ({
    name: `legal-${name}`,
    path: `/legal/${name}`,
  })),
  { name: 'dashboard', path: '/dashboard', as: 'owner' },
  { name: 'dashboard-empty', path: '/dashboard', as: 'newcomer' },
  ...(['signed-in', 'public', 'plain', 'administration'] as const).map((layout) => ({
    name: `components-${layout}`,
    path: `/dev/ui?layout=${layout}`,
  })),
  { name: 'components-sheet', path: '/dev/ui?part=sheet' },
  { name: 'components-of-another-brand', path: '/dev/ui?brand&part=pressed' },
  { name: 'mails', path: '/dev/mail' },
  { name: 'mail', path: (site) => mailPath(site, 'new_sign_in') },
];

export async function addressOf({ path }: PageRow, site: TestSluice): Promise<string> {
  return `${site.url}${typeof path === 'string' ? path : await path(site)}`;
}
