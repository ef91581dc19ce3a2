/** Portals under other names: which one a request is at, what it looks like, and where the main one is. */
import type { Context, MiddlewareHandler } from 'hono';
import { isAtLeast, type ResellerHost, type User } from '../identity/index.ts';
import { publicAddress } from './address.ts';
import type { PortalServices } from './services.ts';
import { changeVisit, type Visit } from './visit.ts';

/** Undefined at the main host, and at hosts that nobody knows, which are the main one too. */
export function atPortal(
  context: Context,
  { resellerHosts }: Pick<PortalServices, 'resellerHosts'>,
): ResellerHost | undefined {
  return resellerHosts.find(context.req.header('host'));
}

/** Also by another name, such as the one by which a proxy knows it: only a portal's host is not the main one. */
export function isMainHost(context: Context, services: PortalServices): boolean {
  const portal = atPortal(context, services);
  return portal === undefined || portal.host === new URL(publicAddress(context, services)).host;
}

/**
 * A portal's name leads wherever its reseller wants, so whoever runs it can act as everybody who is handed off to it: its
 * organisation's people alone are, and nobody who administers the platform.
 */
export function mayBeHandedOff(
  { organisationId, role }: Pick<User, 'organisationId' | 'role'>,
  portal: Pick<ResellerHost, 'organisationId'>,
): boolean {
  return organisationId === portal.organisationId && !isAtLeast(role, 'platform_admin');
}

/** The address and the look of this host, before anything is said or linked. */
export const beginVisit =
  (services: PortalServices): MiddlewareHandler =>
  async (context, next) => {
    const { publicUrl } = services;
    const portal = atPortal(context, services);
    if (portal !== undefined) changeVisit(context, visitAt(portal, publicAddress(context, services)));
    else if (publicUrl !== null) changeVisit(context, { address: publicUrl });
    await next();
  };

/**
 * For pages of the main host that belong to a sign-in from a portal: in its name and colour. Its picture is at its own
 * host alone.
 * @returns the portal's address; empty where there is none.
 */
export function lookLikePortal(context: Context, services: PortalServices, host: string | undefined): string {
  const portal = services.resellerHosts.find(host);
  if (portal === undefined) return '';
  const { address, brand } = visitAt(portal, publicAddress(context, services));
  changeVisit(context, { brand: { ...brand, logoPath: null } });
  return address;
}

function visitAt(portal: ResellerHost, mainAddress: string): Pick<Visit, 'address' | 'brand'> {
  const { host, name, accent, logo } = portal;
  return {
    address: `${new URL(mainAddress).protocol}//${host}`,
    brand: { name, accent, logoPath: logo === null ? null : logoPathOf(logo) },
  };
}

const logoPathOf = (logo: string) => `/assets/portal-${Bun.SHA256.hash(logo, 'hex').slice(0, 16)}.svg`;

/**
 * The picture of a portal, at its host alone. Opened by itself, a picture of somebody else's may run and load nothing.
 * @returns undefined for every other path.
 */
export function servePortalLogo(
  context: Context,
  services: Pick<PortalServices, 'resellerHosts'>,
): Response | undefined {
  const logo = atPortal(context, services)?.logo ?? null;
  if (logo === null || context.req.path !== logoPathOf(logo)) return undefined;
  return context.body(logo, 200, {
    'content-type': 'image/svg+xml',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
}
