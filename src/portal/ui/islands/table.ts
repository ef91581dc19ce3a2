/**
 * Arrow keys go from row to row of a table whose rows open; Enter opens, as with any link. Beside what is open they open its
 * neighbour, whatever opened it.
 */

const listOfOpen = document.querySelector('table.opens')?.closest('.split > .list');
const openRow = listOfOpen?.querySelector('.row-link[aria-current=true]');
openRow?.scrollIntoView({ block: 'nearest' });
/** The table is what the page is about, or a row of it is chosen already. */
const isListPage =
  document.querySelector('table.opens.sticky, table.opens .row-link[aria-current=true]') !== null ||
  listOfOpen != null;

document.addEventListener('keydown', (event) => {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0 || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
  const from = document.activeElement;
  // Fields, menus and dialogs have their own use for these keys; text that scrolls needs them too.
  if (from !== null && from !== document.body && !from.matches('.row-link, a, main')) return;
  if (from?.closest('[popover], dialog') != null) return;
  // Where a table is only a part of the page, below its figures, the keys scroll until they are in it.
  if (from?.matches('.row-link') !== true && !isListPage) return;
  if (openRow && (from === null || !from.matches('.row-link'))) openNeighbour(by, event);
  else focusNeighbour(by, event, from);
});

function openNeighbour(by: 1 | -1, event: KeyboardEvent): void {
  event.preventDefault();
  document.querySelector<HTMLAnchorElement>(`.sheet a[rel=${by > 0 ? 'next' : 'prev'}]`)?.click();
}

function focusNeighbour(by: 1 | -1, event: KeyboardEvent, from: Element | null): void {
  const table = from?.closest('table.opens') ?? document.querySelector('table.opens');
  const links = [...(table?.querySelectorAll<HTMLAnchorElement>('.row-link') ?? [])];
  const now = from instanceof HTMLAnchorElement ? links.indexOf(from) : -1;
  const chosen = links.findIndex((link) => link.ariaCurrent === 'true');
  const next = links[now !== -1 ? now + by : chosen === -1 ? 0 : Math.max(0, chosen + by)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}
