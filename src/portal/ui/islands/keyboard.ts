/**
 * What a keyboard needs beside what browsers do: arrows in menus, Escape out of a sheet, and the focus where it was when the
 * page is loaded again by one of its own links and buttons, such as a filter.
 */

const memory = 'sluice-focus';

/** Where the focus goes once the page at the path is there. */
interface Kept {
  readonly path: string;
  /** The menu that was open: what opens it. */
  readonly menu?: string;
  /** The row that was open beside its list, by where it leads. */
  readonly row?: string;
  /** Else what stands at the same place: of each element from the main one on, the how manieth child. */
  readonly steps?: readonly number[];
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string';

function placeOf(element: Element): Omit<Kept, 'path'> | null {
  const menu = element.closest('.menu[popover]');
  if (menu !== null) return { menu: menu.id };
  const steps: number[] = [];
  for (let at: Element = element; at.localName !== 'main'; ) {
    const { parentElement } = at;
    if (parentElement === null) return null;
    steps.unshift([...parentElement.children].indexOf(at));
    at = parentElement;
  }
  return { steps };
}

function find({ menu, row, steps }: Kept): Element | null | undefined {
  if (menu !== undefined) return document.querySelector(`[popovertarget="${CSS.escape(menu)}"]`);
  if (row !== undefined) {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('.row-link')];
    return links.find(({ pathname }) => pathname === row);
  }
  return steps?.reduce<Element | null | undefined>(
    (at, step) => at?.children[step],
    document.querySelector('main'),
  );
}

const keep = (path: string, place: Omit<Kept, 'path'> | null) => {
  if (place !== null) sessionStorage.setItem(memory, JSON.stringify({ path, ...place }));
};

function goBack(): void {
  const text = sessionStorage.getItem(memory);
  sessionStorage.removeItem(memory);
  const kept: unknown = text === null ? null : JSON.parse(text);
  if (!isKept(kept) || kept.path !== location.pathname) return;
  // What a page focuses by itself, and what was wrong in a form, comes first.
  if (document.activeElement !== document.body || document.querySelector('[aria-invalid=true]')) return;
  const found = find(kept);
  if (found instanceof HTMLElement && found.matches('a, button, input, select, textarea')) found.focus();
}

/** The one that is open and to which the focus belongs: inside of it, or on what opens it. */
function menuOf(from: Element): Element | null {
  const menu = from.closest('.menu[popover]');
  if (menu !== null) return from.matches('.item') ? menu : null;
  const opened = document.getElementById(from.getAttribute('popovertarget') ?? '');
  return opened?.matches('.menu:popover-open') === true ? opened : null;
}

function moveInMenu(event: KeyboardEvent, from: Element): void {
  const items = [...(menuOf(from)?.querySelectorAll<HTMLElement>('.item') ?? [])];
  const now = from instanceof HTMLElement ? items.indexOf(from) : -1;
  const places: Readonly<Record<string, number>> = {
    ArrowDown: now + 1,
    ArrowUp: now < 0 ? -1 : now - 1,
    Home: 0,
    End: -1,
  };
  const place = places[event.key];
  if (place === undefined || items.length === 0) return;
  event.preventDefault();
  items.at(place % items.length)?.focus();
}

/** Its own fields, menus and dialogs have their own use for Escape. */
function leaveSheet(from: Element): void {
  if (from.matches('input, textarea, select') || document.querySelector(':popover-open, dialog[open]'))
    return;
  closeOfSheet()?.click();
}

const closeOfSheet = () =>
  document.querySelector<HTMLAnchorElement>('.sheet > header > .sheet-line:first-child > a:last-child');

/** Enter on it sends its form. */
const isSender = (element: Element | null): boolean =>
  (element instanceof HTMLButtonElement ||
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement) &&
  element.form !== null;

document.addEventListener('keydown', (event) => {
  const { activeElement } = document;
  // Held down it would send what has the focus by then: the same again, or what has come to its place.
  if (event.key === 'Enter' && event.repeat && isSender(activeElement)) event.preventDefault();
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
  if (activeElement === null) return;
  if (event.key === 'Escape') leaveSheet(activeElement);
  else moveInMenu(event, activeElement);
});

document.addEventListener('click', ({ target, detail }) => {
  // Of a pointer it counts the presses; who uses one looks for no focus.
  if (detail !== 0 || !(target instanceof Element)) return;
  const link = target.closest('a');
  if (link !== null && link === closeOfSheet()) {
    const open = document.querySelector<HTMLAnchorElement>('.row-link[aria-current=true]');
    if (open !== null) keep(link.pathname, { row: open.pathname });
  } else if (link !== null && link.origin === location.origin && link.pathname === location.pathname) {
    // Other pages of a list are read from their beginning.
    if (link.closest('.paging') === null) keep(location.pathname, placeOf(link));
  }
});

document.addEventListener('submit', ({ target, submitter }) => {
  const { activeElement } = document;
  if (!(target instanceof HTMLFormElement) || activeElement === null) return;
  // What stands there afterwards may do something else, to another thing: Enter that is held down must not go on.
  if (target.method !== 'get' && activeElement.localName === 'button') return;
  const by = submitter?.matches(':focus-visible') === true ? submitter : activeElement;
  if (by.matches(':focus-visible') && target.contains(by)) keep(location.pathname, placeOf(by));
});

goBack();
