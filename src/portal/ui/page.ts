/** What a page says of itself, and in which layout it stands. */
import type { Child } from 'hono/jsx';
import type { Scope } from '../../base/scope.ts';
import type { Visit } from '../visit.ts';
import type { Assets, IslandName } from './assets.tsx';
import type { IconName } from './icon.tsx';

export interface Page {
  /** Without the brand, which is put behind it. */
  readonly title: string;
  /** One sentence for search engines and shared links; pages behind the sign-in have none. */
  readonly description?: string;
  readonly layout: Layout;
  readonly content: Child;
  /** Beside those of the layout. */
  readonly islands?: readonly IslandName[];
}

/**
 * `public` has the site's header and footer, `plain` the mark alone (sign-in, notices), `signed-in` the side bar and the
 * top bar, `administration` the same for the pages of whoever runs the house.
 */
export type Layout =
  | { readonly kind: 'public'; readonly viewer?: Viewer }
  | { readonly kind: 'plain'; readonly viewer?: Viewer }
  | {
      readonly kind: 'signed-in' | 'administration';
      readonly viewer: Viewer;
      /** The pages above this one, outermost first; left out at the top. */
      readonly trail?: readonly Crumb[];
      /** What ⌘K finds beside the pages: the things that this page lists, for instance. */
      readonly jumps?: readonly Jump[];
      /** Content up to the edges, for a list with a sheet beside it. */
      readonly isFlush?: boolean;
    };

/** Who is signed in, as far as the frame shows it. */
export interface Viewer {
  readonly email: string;
  readonly name?: string;
  /** Null where somebody works for themselves. */
  readonly organisation: string | null;
  /** Those that they may look at, the one that they look at too; none or one shows no switch. */
  readonly organisations?: readonly OrganisationChoice[];
  /** There are others, which are found by searching. */
  readonly hasMoreOrganisations?: boolean;
  readonly balance: ViewerBalance | null;
  readonly administers: boolean;
  /** Whose things an admin looks at; `off` while they look at their own, like anybody. */
  readonly administration?: Scope['whose'] | 'off';
  /** Nobody: the frame is shown with an example, and has nothing of theirs to search. */
  readonly isExample?: boolean;
}

/** A form that switches to an organisation. */
interface OrganisationChoice {
  /** Null is every organisation. */
  readonly name: string | null;
  readonly isCurrent: boolean;
  readonly to: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface ViewerBalance {
  readonly nanoUsd: bigint;
  /** At the present rate; null where none is known or nothing is left. */
  readonly daysLeft: number | null;
}

export interface Jump {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  /** What kind of thing it is. */
  readonly kind: string;
}

export interface Crumb {
  readonly href: string;
  readonly label: string;
}

/** What the server has to say once, after it was asked to do something. */
export interface Message {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** What a document is drawn from. */
export interface Drawing {
  readonly page: Page;
  readonly visit: Visit;
  readonly assets: Assets;
  /** With the query. */
  readonly here: string;
  /** Where a changed preference leads back to; null for a page that answers a form, which is shown once. */
  readonly wayBack: string | null;
  readonly message: Message | null;
}
