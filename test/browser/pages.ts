/** Every page there is, one row each: what the checks look at and the command takes pictures of. */
import { developmentRoutes, portalRoutes } from '../../src/portal/routes.ts';
import type { TestSluice } from '../support/sluice.ts';
import {
  contactPath,
  emailChangePath,
  invitePath,
  keyPath,
  mailPath,
  requestPath,
  resetPath,
  unsubscribePath,
  verifyPath,
  webhookPath,
} from './paths.ts';
import { newcomer, owner, signInPath, unverified, type Visitor } from './site.ts';
import { sentMailsPath } from './told.ts';

export interface PageRow {
  /** Also the name of its pictures: lower-case words with hyphens. */
  readonly name: string;
  readonly path: string | ((site: TestSluice) => Promise<string>);
  /** The path of its row among the portal's routes, where that is not this one without its query. */
  readonly route?: string;
  /** Nobody when not given. */
  readonly as?: Visitor;
  /** 200 when not given. */
  readonly status?: number;
}

/** Pages that take something in their address, or look different by who looks or what is asked. */
const told: readonly PageRow[] = [
  { name: 'home', path: '/' },
  { name: 'sign-in-link', path: (site) => signInPath(site, owner), route: '/sign-in/{secret}' },
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
  { name: 'invite', path: (site) => invitePath(site, newcomer), route: '/invite/{token}' },
  { name: 'invite-over', path: '/invite/over', status: 410 },
  { name: 'provider-away', path: '/auth/away', status: 503 },
  { name: 'provider-stale', path: '/oauth/away/login/callback/?code=one&state=other', status: 410 },
  { name: 'portal-link-over', path: '/auth/sso/complete?token=over', status: 410 },
  { name: 'welcome', path: '/welcome', as: 'founder' },
  { name: 'suspended', path: '/account/suspended' },
  { name: 'archived', path: '/account/archived' },
  { name: 'new-terms', path: '/legal/accept', as: 'unverified' },
  { name: 'settings', path: '/dashboard/settings', as: 'resident' },
  { name: 'settings-of-the-file', path: '/dashboard/settings', as: 'newcomer' },
  { name: 'settings-security', path: '/dashboard/settings/security', as: 'resident' },
  {
    ...{ name: 'settings-contact', path: contactPath, as: 'resident' as const },
    route: '/dashboard/settings/notifications/contacts/{contact}',
  },
  { name: 'settings-notifications', path: '/dashboard/settings/notifications', as: 'resident' },
  {
    ...{ name: 'settings-sent', path: sentMailsPath, as: 'resident' as const },
    route: '/dashboard/settings/notifications/sent',
  },
  { name: 'settings-data', path: '/dashboard/settings/data', as: 'resident' },
  { name: 'settings-data-of-the-file', path: '/dashboard/settings/data', as: 'newcomer' },
  { name: 'settings-email', path: emailChangePath, route: '/dashboard/settings/email', as: 'resident' },
  { name: 'settings-email-over', path: '/dashboard/settings/email?token=over', as: 'resident', status: 410 },
  { name: 'invitations', path: '/dashboard/admin/users/invite', as: 'owner' },
  {
    ...{ name: 'request', path: requestPath, route: '/dashboard/request-log/{request_id}' },
    as: 'owner',
  },
  { name: 'key', path: keyPath, route: '/dashboard/keys/{key_id}', as: 'resident' },
  {
    ...{ name: 'key-edit', path: async (site) => `${await keyPath(site)}/edit` },
    ...{ route: '/dashboard/keys/{key_id}/edit', as: 'resident' as const },
  },
  {
    ...{ name: 'key-token-shown', path: async (site) => `${await keyPath(site)}/token` },
    ...{ route: '/dashboard/keys/{key_id}/token', as: 'resident' as const },
  },
  { name: 'unsubscribe', path: unsubscribePath },
  { name: 'webhooks-new', path: '/dashboard/settings/webhooks/new', as: 'resident' },
  {
    ...{ name: 'webhook', path: webhookPath, route: '/dashboard/settings/webhooks/{webhook_id}' },
    as: 'resident',
  },
  { name: 'webhooks', path: '/dashboard/settings/webhooks', as: 'resident' },
  {
    ...{ name: 'webhook-secret', path: async (site) => `${await webhookPath(site)}/secret` },
    ...{ route: '/dashboard/settings/webhooks/{webhook_id}/secret', as: 'resident' as const },
  },
  { name: 'unsubscribe-over', path: '/unsubscribe?token=over', status: 410 },
  { name: 'not-found', path: '/no-such-page', status: 404 },
  { name: 'not-found-of-the-dashboard', path: '/dashboard/no-such-page', as: 'owner', status: 404 },
  {
    ...{ name: 'key-missing', path: '/dashboard/keys/2147483647', route: '/dashboard/keys/{key_id}' },
    ...{ as: 'resident' as const, status: 404 },
  },
  { name: 'api-docs', path: '/api-docs' },
  { name: 'api-docs-portal', path: '/api-docs?of=portal' },
  { name: 'api-docs-account', path: '/api-docs?of=account' },
  { name: 'api-docs-none', path: '/api-docs?q=no-such-address' },
  { name: 'api-docs-chat', path: '/api-docs?at=post-v1-chat-completions' },
  { name: 'api-docs-audio', path: '/api-docs?at=post-v1-audio-transcriptions' },
  { name: 'api-docs-login', path: '/api-docs?of=portal&at=post-auth-login' },
  { name: 'models-public', path: '/models-public' },
  { name: 'models-public-none', path: '/models-public?q=no-such-model' },
  { name: 'models-public-compared', path: '/models-public?compare=atlas-4&compare=atlas-4-mini' },
  { name: 'models-public-one', path: '/models-public/atlas-4', route: '/models-public/{model…}' },
  { name: 'dashboard', path: '/dashboard', as: 'owner' },
  { name: 'dashboard-empty', path: '/dashboard', as: 'newcomer' },
  {
    name: 'dashboard-model',
    path: '/dashboard/models/atlas-4',
    route: '/dashboard/models/{model…}',
    as: 'owner',
  },
  {
    name: 'dashboard-models-compared',
    path: '/dashboard/models?compare=atlas-4&compare=atlas-4-mini',
    as: 'owner',
  },
  { name: 'guide-empty', path: '/dashboard/guide', as: 'newcomer' },
  ...(['signed-in', 'public', 'plain', 'administration'] as const).map((layout) => ({
    name: `components-${layout}`,
    path: `/dev/ui?layout=${layout}`,
  })),
  { name: 'components-sheet', path: '/dev/ui?part=sheet' },
  { name: 'components-of-another-brand', path: '/dev/ui?brand&part=pressed' },
  { name: 'mails', path: '/dev/mail' },
  { name: 'mail', path: (site) => mailPath(site, 'new_sign_in'), route: '/dev/mail/{name}' },
];

const routes = [...portalRoutes, ...developmentRoutes].filter(
  ({ method, answers }) => method === 'GET' && answers === 'page',
);
const hasRow = (route: string) => told.some((row) => routeOf(row) === route);

/** Those and every other route that answers with a page and takes nothing in its path, as whoever may see it. */
export const pages: readonly PageRow[] = [
  ...told,
  ...routes
    .filter(({ path }) => !path.includes('{') && !hasRow(path))
    .map(({ path, access }) => ({
      name: path.slice(1).replaceAll('/', '-'),
      path,
      as: access === 'anyone' ? ('nobody' as const) : ('owner' as const),
    })),
];

/** Routes of pages that need a row, since nobody else knows what stands in their path. */
export const routesWithoutRow: readonly string[] = routes
  .map(({ path }) => path)
  // A mail as it is, which may run no script, not even that of the checks: `mails.test.ts` looks at every mail.
  .filter((path) => path.includes('{') && !hasRow(path) && path !== '/dev/mail/{name}/html');

function routeOf({ path, route }: PageRow): string | undefined {
  return route ?? (typeof path === 'string' ? path.replace(/\?.*$/, '') : undefined);
}

export async function addressOf({ path }: Pick<PageRow, 'path'>, site: TestSluice): Promise<string> {
  return `${site.url}${typeof path === 'string' ? path : await path(site)}`;
}
