/** What a key will be able to do, told while its form is filled in: the server says it, as it does without a script. */

const form = document.querySelector<HTMLFormElement>('[data-key-form]');
const canDo = document.querySelector<HTMLElement>('[data-can-do]');

/** One question at a time; what was written meanwhile is the next. */
let isAsking = false;
let isStale = false;

const expires = form?.querySelector<HTMLSelectElement>('select[name=expires]');
const lastDay = form?.querySelector<HTMLInputElement>('input[name=expires_on]');

form?.addEventListener('input', (event) => {
  chooseEnd(event.target);
  chooseThese(event.target);
  isStale = true;
  if (!isAsking) void tell();
});

/** Who ticks one means these alone. */
function chooseThese(target: EventTarget | null): void {
  if (!(target instanceof HTMLInputElement && target.type === 'checkbox' && target.checked)) return;
  const these = target.closest('.lock')?.querySelector<HTMLInputElement>('input[type=radio][value=these]');
  if (these) these.checked = true;
}

/** Whoever chooses a day means it, and whoever chooses another end means no day. */
function chooseEnd(target: EventTarget | null): void {
  if (!expires || !lastDay) return;
  if (target === lastDay && lastDay.value !== '') expires.value = 'date';
  if (target === expires && expires.value !== 'date') lastDay.value = '';
}

async function tell(): Promise<void> {
  isAsking = true;
  while (isStale) {
    isStale = false;
    // What cannot be said stays as it was: the mistake is told when the form is sent.
    const sentences = await ask().catch(() => undefined);
    if (sentences !== undefined && !isStale) show(sentences);
  }
  isAsking = false;
}

async function ask(): Promise<readonly string[] | undefined> {
  // Whoever is about to choose a day is told once it is there.
  if (!form || (expires?.value === 'date' && lastDay?.value === '')) return undefined;
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
  const answer = await fetch('/dashboard/keys/preview', {
    method: 'POST',
    body: fields,
    headers: { accept: 'application/json' },
  });
  if (!answer.ok) return undefined;
  const told = (await answer.json()) as { readonly sentences: readonly string[] };
  return told.sentences;
}

function show(sentences: readonly string[]): void {
  canDo?.replaceChildren(
    ...sentences.map((sentence) => {
      const item = document.createElement('li');
      item.textContent = sentence;
      return item;
    }),
  );
}

// A module of its own, so that its names are not those of another.
export {};
