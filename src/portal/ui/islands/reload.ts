/** Loads a page again that waits for something, but not under the hands of who writes in it. */

const waiting = document.querySelector<HTMLElement>('[data-reload-after]');
const afterMs = Number(waiting?.dataset['reloadAfter'] ?? 0) * 1000;

const isWrittenIn = (): boolean =>
  document.activeElement?.matches('input, textarea, select') === true ||
  [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden])')].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );

const look = (): void => {
  if (isWrittenIn()) setTimeout(look, afterMs);
  else location.reload();
};
if (afterMs > 0) setTimeout(look, afterMs);
