/** ⌘K: opens the palette, narrows its list while somebody types, asks the server for what is theirs, and goes where Enter says. */

interface Found {
  readonly kind: string;
  readonly label: string;
  readonly detail: string;
  readonly href: string;
  /** What is sent there in place of opening it. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Typing is let come to rest before the server is asked. */
const restMs = 180;
const fewestCharacters = 2;
const mostRecent = 5;

const dialog = document.querySelector<HTMLDialogElement>('#palette');
const field = dialog?.querySelector<HTMLInputElement>('input');
const list = dialog?.querySelector<HTMLElement>('#palette-list');
if (dialog && field && list) livenPalette(dialog, field, list);

function livenPalette(palette: HTMLDialogElement, input: HTMLInputElement, box: HTMLElement): void {
  const pages = [...box.querySelectorAll<HTMLAnchorElement>('[role=option]')];
  const none = palette.querySelector<HTMLElement>('.palette-none');
  const counted = palette.querySelector<HTMLElement>('[data-counted]');
  // Only of this window: whoever uses the browser next has others.
  const recentName = `sluice-recent ${palette.dataset['who'] ?? ''}`;
  let added: readonly HTMLAnchorElement[] = [];
  let resting: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();

  const shown = () => [...box.querySelectorAll<HTMLAnchorElement>('[role=option]:not([hidden])')];

  const choose = (chosen: HTMLAnchorElement | undefined) => {
    for (const option of shown()) option.setAttribute('aria-selected', String(option === chosen));
    input.setAttribute('aria-activedescendant', chosen?.id ?? '');
    chosen?.scrollIntoView({ block: 'nearest' });
  };

  const add = (found: readonly Found[], place: 'first' | 'last') => {
    for (const old of added) old.remove();
    added = found.flatMap((one, index) => draw(palette, one, index) ?? []);
    if (place === 'first') box.prepend(...added);
    else box.append(...added);
  };

  const settle = (isSearching: boolean) => {
    const count = shown().length;
    if (none !== null) none.hidden = count > 0 || isSearching;
    if (counted !== null && !isSearching) {
      counted.textContent =
        input.value === '' ? '' : (counted.dataset['counted'] ?? '').replace('-1', String(count));
    }
    const now = shown().find((option) => option.getAttribute('aria-selected') === 'true');
    if (now === undefined) choose(shown()[0]);
  };

  const narrow = () => {
    clearTimeout(resting);
    asking.abort();
    const text = input.value.trim();
    const wanted = plain(text).split(/\s+/);
    for (const option of pages) {
      const words = plain(option.dataset['words'] ?? '');
      option.hidden = !wanted.every((word) => words.includes(word));
      option.setAttribute('aria-selected', 'false');
    }
    add(text === '' ? readRecent(recentName) : [], 'first');
    choose(shown()[0]);
    const asks = text.length >= fewestCharacters && palette.dataset['search'] !== undefined;
    settle(asks);
    if (asks) resting = setTimeout(() => void search(text), restMs);
  };

  const search = async (text: string) => {
    asking = new AbortController();
    const { signal } = asking;
    try {
      const address = `${palette.dataset['search'] ?? ''}?${new URLSearchParams({ q: text })}`;
      const answer = await fetch(address, { signal, headers: { accept: 'application/json' } });
      const { found = [] }: { found?: readonly Found[] } = answer.ok ? await answer.json() : {};
      if (signal.aborted) return;
      add(found, 'last');
    } catch {
      // Pages are still found without the server.
      if (signal.aborted) return;
    }
    settle(false);
  };

  const step = (by: number) => {
    const options = shown();
    const now = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
    choose(options[(now + by + options.length) % options.length]);
  };

  input.addEventListener('input', narrow);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'Enter') {
      shown()
        .find((option) => option.getAttribute('aria-selected') === 'true')
        ?.click();
    } else return;
    event.preventDefault();
  });
  palette.addEventListener('click', (event) => {
    const { target } = event;
    const option = target instanceof Element ? target.closest<HTMLAnchorElement>('[role=option]') : null;
    if (option === null) return;
    const fields = option.dataset['fields'];
    if (fields !== undefined) {
      event.preventDefault();
      send(option.href, JSON.parse(fields));
      return;
    }
    remember(recentName, option);
    // A link to a part of this page loads no other, and would leave the palette open.
    palette.close();
  });
  const empty = () => {
    input.value = '';
    narrow();
  };
  // Not with the event that comes after it: who types at once would lose what they typed until then.
  palette.addEventListener('beforetoggle', ({ newState }) => {
    if (newState === 'open') empty();
  });
  palette.addEventListener('toggle', ({ newState }) => {
    if (newState === 'closed') empty();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (palette.open) palette.close();
    else palette.showModal();
  });
  if (!/Mac|iP(hone|ad|od)/.test(navigator.userAgent)) {
    for (const key of document.querySelectorAll('.search-opener kbd')) key.textContent = 'Ctrl K';
  }
}

/** From the template of its kind; a kind that this page does not know is left out. */
function draw(palette: HTMLElement, found: Found, index: number): HTMLAnchorElement | null {
  const template = palette.querySelector<HTMLTemplateElement>(
    `template[data-kind="${CSS.escape(found.kind)}"]`,
  );
  const option = template?.content.firstElementChild?.cloneNode(true);
  if (!(option instanceof HTMLAnchorElement)) return null;
  option.id = `palette-found-${index}`;
  option.href = found.href;
  if (found.fields) option.dataset['fields'] = JSON.stringify(found.fields);
  const [label, detail] = option.querySelectorAll('.palette-label, .palette-detail');
  if (label) label.textContent = found.label;
  if (detail) detail.textContent = found.detail;
  return option;
}

/** As a form of the page would, so that the server sees the same. */
function send(action: string, fields: Readonly<Record<string, string>>): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

function readRecent(name: string): readonly Found[] {
  try {
    const kept: readonly Found[] = JSON.parse(sessionStorage.getItem(name) ?? '[]');
    return kept.map(({ label, href }) => ({ kind: 'recent', label, detail: '', href }));
  } catch {
    return [];
  }
}

function remember(name: string, option: HTMLAnchorElement): void {
  const href = option.getAttribute('href') ?? '';
  const label = option.querySelector('.palette-label')?.textContent ?? '';
  const others = readRecent(name).filter((each) => each.href !== href);
  const kept = [{ href, label }, ...others.map((each) => ({ href: each.href, label: each.label }))];
  try {
    sessionStorage.setItem(name, JSON.stringify(kept.slice(0, mostRecent)));
  } catch {
    // Without room for it nothing is remembered.
  }
}

/** Without accents and capitals, so that `cles` finds `Clés`. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
