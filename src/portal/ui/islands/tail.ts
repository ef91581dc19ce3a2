/** New rows of the request log as they come: on top of the list, or counted while its reader is further down or has paused. The bars above it follow. */

const button = document.querySelector<HTMLButtonElement>('[data-tail]');
const held = document.querySelector<HTMLButtonElement>('[data-tail-new]');
/** A list that is left open does not grow without end. */
const mostRows = 200;
const nearTop = 160;

type LiveEvent =
  | { readonly rows: string; readonly bars?: string; readonly isCut?: true }
  | { readonly isBehind: true };

if (button && held) follow(button, held);

function follow(toggle: HTMLButtonElement, more: HTMLButtonElement): void {
  const body = document.querySelector('.opens tbody');
  const waiting: Element[] = [];
  let since = new URL(toggle.dataset['tail'] ?? '', location.href).searchParams.get('since');
  let source: EventSource | undefined;
  let isPaused = false;
  /** Whether those that wait take the place of the list, between which and them others are not told. */
  let isCut = false;
  let isBehind = false;
  let newBars: string | undefined;

  const tell = (state: 'on' | 'paused' | 'off') => {
    const mark = toggle.firstElementChild;
    if (mark === null) return;
    mark.className = `state ${state === 'on' ? 'good' : 'off'}`;
    mark.textContent = toggle.dataset[state] ?? '';
    toggle.ariaPressed = String(state === 'on');
  };
  const draw = () => {
    const old = document.querySelector('.histogram');
    if (isPaused || newBars === undefined || old === null) return;
    const read = document.createElement('template');
    read.innerHTML = newBars;
    newBars = undefined;
    const now = read.content.firstElementChild;
    if (now !== null) old.replaceWith(now);
  };
  const show = () => {
    more.hidden = true;
    if (waiting.length === 0 && !isBehind) return;
    // There was no list to put them into, or more came meanwhile than is told here.
    if (body === null || isBehind) return location.reload();
    const isShortened = isCut || body.childElementCount + waiting.length > mostRows;
    if (isCut) body.replaceChildren();
    isCut = false;
    body.prepend(...waiting.splice(0));
    while (body.childElementCount > mostRows) body.lastElementChild?.remove();
    if (isShortened) leadOn(body);
  };
  const offer = (words = '') => {
    if (!isPaused && scrollY < nearTop) return show();
    more.textContent = words;
    more.hidden = false;
  };
  const take = (html: string, isWithoutOthers: boolean) => {
    const read = document.createElement('template');
    read.innerHTML = html;
    const known = new Set([...document.querySelectorAll('.row-link'), ...waiting.flatMap(linksOf)].map(idOf));
    const told = [...read.content.querySelectorAll('tr')].filter((row) => linksOf(row).length > 0);
    const rows = told.filter((row) => !linksOf(row).some((link) => known.has(idOf(link))));
    if (rows.length === 0) return;
    // Where some of them are here already, nothing lies between them and those that are.
    if (isWithoutOthers && rows.length === told.length) [isCut, waiting.length] = [true, 0];
    waiting.unshift(...rows);
    waiting.splice(mostRows);
    const count = `${waiting.length}${isCut ? '+' : ''}`;
    offer(count === '1' ? more.dataset['tailOne'] : more.dataset['tailNew']?.replace('#', count));
  };
  const stop = () => {
    source?.close();
    source = undefined;
  };
  const start = () => {
    if (source !== undefined || document.hidden || isBehind) return;
    const url = new URL(toggle.dataset['tail'] ?? '', location.href);
    if (since !== null) url.searchParams.set('since', since);
    source = new EventSource(url);
    source.onopen = () => tell(isPaused ? 'paused' : 'on');
    source.onmessage = ({ data, lastEventId }) => {
      if (lastEventId > (since ?? '')) since = lastEventId;
      const event: LiveEvent = JSON.parse(data);
      if ('isBehind' in event) {
        isBehind = true;
        stop();
        tell('off');
        return offer(more.dataset['tailMany']);
      }
      newBars = event.bars ?? newBars;
      take(event.rows, event.isCut === true);
      draw();
    };
    source.onerror = () => {
      // It begins again by itself, but where it was refused.
      if (source?.readyState === EventSource.CLOSED) tell('off');
    };
  };

  toggle.hidden = false;
  toggle.addEventListener('click', () => {
    if (isBehind) return location.reload();
    if (source?.readyState === EventSource.CLOSED) {
      // It was refused, and does not begin again by itself: it is told to be live once it is.
      isPaused = false;
      stop();
      start();
      return show();
    }
    isPaused = !isPaused;
    tell(isPaused ? 'paused' : 'on');
    if (isPaused) return;
    draw();
    show();
  });
  more.addEventListener('click', () => {
    scrollTo({ top: 0 });
    show();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'l' || event.metaKey || event.ctrlKey || event.altKey) return;
    if (document.activeElement?.matches('input, select, textarea, [contenteditable]') === true) return;
    toggle.click();
  });
  // A page that nobody looks at asks for nothing.
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()));
  addEventListener('pagehide', stop);
  start();
}

/** What left the list at its end is on the page behind it. */
function leadOn(body: Element): void {
  const older = document.querySelector<HTMLAnchorElement>('.log-below a[href*="before="]');
  const [last] = body.lastElementChild === null ? [] : linksOf(body.lastElementChild);
  if (older === null || last === undefined) {
    location.reload();
    return;
  }
  const url = new URL(older.href);
  url.searchParams.set('before', idOf(last));
  older.href = url.href;
}

const linksOf = (row: Element): Element[] => [...row.querySelectorAll('.row-link')];

const idOf = (link: Element): string =>
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(link.getAttribute('href') ?? '')?.[0] ?? '';
