/** What every page can do with a script: change the theme at once, copy, put messages away, open the dialog that an address names, or any in older browsers. */

const page = document.documentElement;

for (const form of document.querySelectorAll<HTMLFormElement>('[data-theme-switch]')) {
  form.addEventListener('submit', (event) => {
    const { submitter } = event;
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    const theme = submitter.value;
    const body = new URLSearchParams({ theme });
    // Remembered by the server, so that the next page is drawn right from its first frame.
    void fetch(form.action, { method: 'POST', body, redirect: 'manual' });
    if (theme === 'system') delete page.dataset['theme'];
    else page.dataset['theme'] = theme;
    // There may be two: a phone has it in the menu of the account.
    for (const button of document.querySelectorAll<HTMLElement>('[data-theme-switch] button')) {
      button.hidden = button.dataset['shows'] !== theme;
    }
    form.querySelector<HTMLButtonElement>('button:not([hidden])')?.focus();
  });
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  const label = button.getAttribute('aria-label') ?? '';
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset['copy'] ?? '');
    button.classList.add('copied');
    button.setAttribute('aria-label', button.dataset['copied'] ?? label);
  });
  const forget = () => {
    button.classList.remove('copied');
    button.setAttribute('aria-label', label);
  };
  button.addEventListener('animationend', forget);
  // Where nothing moves no animation ends.
  button.addEventListener('blur', forget);
}

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element)) return;
  const toast = target.closest('[data-dismiss]')?.closest('.toast');
  // What is gone cannot keep the focus, which would begin the page anew.
  if (toast?.contains(document.activeElement)) focusContent();
  toast?.remove();
  if ('command' in HTMLButtonElement.prototype) return;
  const button = target.closest<HTMLButtonElement>('button[commandfor]');
  const dialog = document.getElementById(button?.getAttribute('commandfor') ?? '');
  if (!(dialog instanceof HTMLDialogElement)) return;
  if (button?.getAttribute('command') === 'close') dialog.close();
  else dialog.showModal();
});

// A menu elsewhere leads to what a dialog of this page asks: `/dashboard/keys/1#rotate`.
const asked = document.getElementById(location.hash.slice(1));
if (asked instanceof HTMLDialogElement) asked.showModal();

function focusContent(): void {
  const content = document.querySelector<HTMLElement>('main');
  if (content === null) return;
  content.tabIndex = -1;
  content.focus();
}
