/** The pages of the side bar and of the palette, as data. A page joins both with a row here and its name in the common words. */
import type { InterfaceWords } from '../languages/interface/index.ts';
import type { IconName } from './icon.tsx';
import type { Viewer } from './page.ts';

export interface Destination {
  readonly href: string;
  readonly name: keyof InterfaceWords['pages'];
  readonly icon: IconName;
}

const own: readonly Destination[] = [
  { href: '/dashboard', name: 'overview', icon: 'gauge' },
  { href: '/dashboard/usage', name: 'usage', icon: 'chart-column' },
  { href: '/dashboard/request-log', name: 'requests', icon: 'list' },
  { href: '/dashboard/models', name: 'models', icon: 'box' },
  { href: '/dashboard/keys', name: 'keys', icon: 'key-round' },
  { href: '/dashboard/activity', name: 'activity', icon: 'history' },
  { href: '/dashboard/guide', name: 'guide', icon: 'book-open' },
  { href: '/dashboard/settings', name: 'settings', icon: 'settings' },
];

const administration: readonly Destination[] = [
  { href: '/dashboard/admin/users/invite', name: 'invites', icon: 'mail' },
];

export interface DestinationGroup {
  readonly isAdministration: boolean;
  readonly destinations: readonly Destination[];
}

export function destinationsOf({ administers }: Viewer): readonly DestinationGroup[] {
  const groups = [
    { isAdministration: false, destinations: own },
    { isAdministration: true, destinations: administers ? administration : [] },
  ];
  return groups.filter(({ destinations }) => destinations.length > 0);
}

/** Where a page of one's own stands, with fields of its query; what is a part of a page takes none. */
export function wayTo(name: Destination['name'], query: Readonly<Record<string, string>> = {}): string {
  const href = own.find((each) => each.name === name)?.href ?? '/dashboard';
  return href.includes('#') || Object.keys(query).length === 0
    ? href
    : `${href}?${new URLSearchParams(query)}`;
}

/** Where one thing of a list stands; null where there is no page of that list. */
export const wayBelow = (href: string, id: number | string): string | null =>
  [...own, ...administration].some((each) => each.href === href) ? `${href}/${id}` : null;

/** Whether a destination is the page at this path, or the page is one below it; an anchor on a page never is. */
export const isCurrent = (href: string, path: string): boolean =>
  href === path || (href !== '/dashboard' && href !== '/' && path.startsWith(`${href}/`));
