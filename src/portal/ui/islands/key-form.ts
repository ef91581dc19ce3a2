/** What a key will be able to do, told while its form is filled in: the server says it, as it does without a script. */

const form = document.querySelector<HTMLFormElement>('[data-key-form]');
const list = document.querySelector<HTMLElement>('[data-can-do]');

const waitMs = 250;
let timer: ReturnType<typeof setTimeout> | undefined;
let underWay: AbortController | undefined;

form?.addEventListener('input', (event) => {
  chooseThese(event.target);
  clearTimeout(timer);
  timer = setTimeout(tell, waitMs);
});

/** Who ticks one means these alone. */
function chooseThese(target: EventTarget | null): void {
  if (!(target instanceof HTMLInputElement && target.type === 'checkbox' && target.checked)) return;
  const these = target.closest('.lock')?.querySelector<HTMLInputElement>('input[type=radio][value=these]');
  if (these) these.checked = true;
}

async function tell(): Promise<void> {
  if (!form || !list) return;
  underWay?.abort();
  underWay = new AbortController();
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
  try {
    const answer = await fetch('/dashboard/keys/preview', {
      method: 'POST',
      body: fields,
      headers: { accept: 'application/json' },
      signal: underWay.signal,
    });
    // What cannot be said stays as it was: the mistake is told when the form is sent.
    if (!answer.ok) return;
    const { sentences } = (await answer.json()) as { sentences: readonly string[] };
    list.replaceChildren(
      ...sentences.map((sentence) => {
        const item = document.createElement('li');
        item.textContent = sentence;
        return item;
      }),
    );
  } catch {
    // Overtaken by the next one, or the server is away.
  }
}
