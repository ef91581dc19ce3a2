/** Who asks, as far as the network tells: the address for throttles and for the person's own list of sessions. */
import type { Context } from 'hono';
import { clientAddressOf } from '../base/client-address.ts';
import type { SessionStart } from '../identity/index.ts';
import type { PortalServices } from './services.ts';
import { readSessionToken } from './session-cookie.ts';
import { tellOfNewBrowser } from './sign-in/known-browser.ts';

/** The longest name that the domain name system knows, and a port. */
const mostHostCharacters = 260;
/** Of what a browser says of itself, however long it is: expressions look at it for what it is called. */
const mostAgentCharacters = 300;

export function clientAddress(context: Context, { trustedProxies }: PortalServices): string {
  const arrival: Arrival | undefined = context.env;
  const connection = arrival?.addressOf?.();
  return clientAddressOf({ connection, forwardedFor: context.req.header('x-forwarded-for') }, trustedProxies);
}

export function userAgentOf(context: Context): string | undefined {
  return context.req.header('user-agent')?.slice(0, mostAgentCharacters);
}

/**
 * How a session begins here, for the person's own list of them.
 * @param isTold a mail of another kind tells of it already.
 */
export function sessionStart(
  context: Context,
  services: PortalServices,
  method: string,
  { isTold = false } = {},
): SessionStart {
  const from = {
    userAgent: userAgentOf(context) ?? null,
    address: clientAddress(context, services),
  };
  return {
    method,
    ...from,
    onStarted: tellOfNewBrowser(context, services, { ...from, isTold }),
    host: context.req.header('host')?.slice(0, mostHostCharacters) ?? null,
    replacedToken: readSessionToken(context, services),
  };
}

/** What the listening socket hands on with a request; nothing is known of one that came by no socket. */
interface Arrival {
  readonly addressOf?: () => string | undefined;
}
