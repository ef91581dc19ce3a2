/** What somebody is told at a portal of its own name where they cannot be signed in: to do the same at the main address. */
import type { Context } from 'hono';
import { publicAddress } from '../address.ts';
import { accountsWords } from '../languages/accounts/index.ts';
import { wantsPage } from '../refusal.ts';
import type { PortalServices } from '../services.ts';
import { showNotice } from '../ui/notice.tsx';
import { wordsFor } from '../visit.ts';
import { NotOfPortal } from './portal-people.ts';

/** @param path of the main host, where the same can be done. */
export async function orAtMain(
  context: Context,
  services: PortalServices,
  path: string,
  enter: () => Promise<Response>,
): Promise<Response> {
  try {
    return await enter();
  } catch (thrown) {
    if (!(thrown instanceof NotOfPortal)) throw thrown;
    const { host, code } = thrown;
    const address = publicAddress(context, services);
    const { title, text, action } = wordsFor(context, accountsWords).elsewhere;
    const href = `${address}${path}`;
    // Not by the house's words for the code, which are about identity providers.
    if (!wantsPage(context.req.raw)) {
      return context.json({ ok: false, error: `${text(host)} ${href}`, code }, 403);
    }
    return showNotice(context, 403, {
      title: title(host),
      paragraphs: [text(host)],
      action: { href, label: action(new URL(address).host) },
    });
  }
}

/** The page of the main host where somebody signs in. */
export const loginAtMain = (next: string): string => `/login?${new URLSearchParams({ next })}`;
