/** Arrow keys go from row to row of a table whose rows open; Enter opens, as with any link. */

document.addEventListener('keydown', (event) => {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0 || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
  const from = document.activeElement;
  // Fields, menus and dialogs have their own use for these keys; text that scrolls needs them too.
  if (from !== null && from !== document.body && !from.matches('.row-link, a, main')) return;
  if (from?.closest('[popover], dialog') != null) return;
  const table = from?.closest('table.opens') ?? document.querySelector('table.opens');
  const links = [...(table?.querySelectorAll<HTMLAnchorElement>('.row-link') ?? [])];
  const now = from instanceof HTMLAnchorElement ? links.indexOf(from) : -1;
  const beginning = links.findIndex((link) => link.ariaCurrent === 'true');
  const next = links[now === -1 ? Math.max(0, beginning + (beginning === -1 ? 0 : by)) : now + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
});
