/** What all pages of the public site share: whoever may open them, in the layout with header and footer. */
import type { Session } from '../../identity/index.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { Layout } from '../ui/page.ts';

interface PublicPage {
  readonly path: string;
  readonly summary: string;
  handle(asked: Asked): Promise<Response>;
}

export const publicPage = ({ path, summary, handle }: PublicPage): Route =>
  route({ method: 'GET', path, summary, tag: 'Public pages', access: 'anyone', answers: 'page', handle });

/** The header leads whoever is signed in to their overview. */
export function publicLayout(session: Session | null): Layout {
  if (session === null) return { kind: 'public' };
  const { email } = session.user;
  return { kind: 'public', viewer: { email, organisation: null, balance: null, administers: false } };
}
