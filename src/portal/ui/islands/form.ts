/** Forms with a script: what is wrong is read first, a password can be looked at, and nothing is sent twice. */

/** So long nobody takes an answer for lost. */
const patienceMs = 15_000;

document.querySelector<HTMLElement>('[data-focus]')?.focus();

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-reveal]')) {
  const input = button.parentElement?.querySelector('input');
  if (!input) continue;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    button.setAttribute('aria-pressed', String(!isShown));
  });
}

document.addEventListener('submit', (event) => {
  if (event.defaultPrevented || !(event.target instanceof HTMLFormElement)) return;
  if (event.target.method !== 'post') return;
  if (event.target.dataset['sent'] === 'true') {
    event.preventDefault();
    return;
  }
  event.target.dataset['sent'] = 'true';
  event.submitter?.setAttribute('aria-busy', 'true');
  setTimeout(forgetSent, patienceMs);
});

// A page that is gone back to comes as it was left, and its forms may be sent again.
addEventListener('pageshow', (event) => {
  if (event instanceof PageTransitionEvent && event.persisted) forgetSent();
});

// Whoever stops a page that does not come may send again. The browser's own button for that tells the page nothing.
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') forgetSent();
});

function forgetSent(): void {
  for (const form of document.querySelectorAll('form')) delete form.dataset['sent'];
  for (const button of document.querySelectorAll('button[aria-busy]')) button.removeAttribute('aria-busy');
}
