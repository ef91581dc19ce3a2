/** ⌘K: opens the palette, narrows its list while somebody types, and goes where Enter says. */

const dialog = document.querySelector<HTMLDialogElement>('#palette');
const field = dialog?.querySelector<HTMLInputElement>('input');
if (dialog && field) livenPalette(dialog, field);

function livenPalette(palette: HTMLDialogElement, input: HTMLInputElement): void {
  const options = [...palette.querySelectorAll<HTMLAnchorElement>('[role=option]')];
  const none = palette.querySelector<HTMLElement>('.palette-none');
  const shown = () => options.filter(({ hidden }) => !hidden);

  const choose = (chosen: HTMLAnchorElement | undefined) => {
    for (const option of options) option.setAttribute('aria-selected', String(option === chosen));
    input.setAttribute('aria-activedescendant', chosen?.id ?? '');
    chosen?.scrollIntoView({ block: 'nearest' });
  };

  const narrow = () => {
    const wanted = plain(input.value).split(/\s+/);
    for (const option of options) {
      const words = plain(option.dataset['words'] ?? '');
      option.hidden = !wanted.every((word) => words.includes(word));
    }
    if (none !== null) none.hidden = shown().length > 0;
    choose(shown()[0]);
  };

  const step = (by: number) => {
    const list = shown();
    const now = list.findIndex((option) => option.getAttribute('aria-selected') === 'true');
    choose(list[(now + by + list.length) % list.length]);
  };

  input.addEventListener('input', narrow);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'Enter') {
      palette.close();
      shown()
        .find((option) => option.getAttribute('aria-selected') === 'true')
        ?.click();
    } else return;
    event.preventDefault();
  });
  palette.addEventListener('click', ({ target }) => {
    // A link to a part of this page loads no other, and would leave the palette open.
    if (target instanceof Element && target.closest('[role=option]') !== null) palette.close();
  });
  palette.addEventListener('toggle', () => {
    input.value = '';
    narrow();
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

/** Without accents and capitals, so that `cles` finds `Clés`. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
