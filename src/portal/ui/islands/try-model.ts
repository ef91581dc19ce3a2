/** Trying a model: says what a prompt costs at most, sends it, shows the answer as it comes, and stops when asked. */

interface TryEvent {
  readonly text?: string;
  readonly error?: string;
  readonly record?: Readonly<Record<string, string>>;
}

const section = document.querySelector<HTMLElement>('[data-try]');
const sheet = section?.querySelector('form');
const output = section?.querySelector<HTMLElement>('.try-answer');
if (section && sheet && output) liven(section, sheet, output);

function liven(shown: HTMLElement, form: HTMLFormElement, answer: HTMLElement): void {
  const at = (selector: string) => shown.querySelector<HTMLElement>(selector);
  const prompt = form.querySelector<HTMLTextAreaElement>('textarea');
  const limit = form.querySelector<HTMLSelectElement>('select');
  const send = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const stop = at('[data-stop]');
  const state = at('[data-state]');
  const refused = at('[data-refused]');
  const words = form.dataset;
  let asking: AbortController | undefined;
  shown.hidden = false;

  const sayMost = () => {
    const text = prompt?.value.trim() ?? '';
    const most = at('[data-most]');
    if (most) most.textContent = text === '' ? '' : (words['atMost'] ?? '').replace('-1', mostCost(text));
  };
  /** A token is a byte at least; what stands around a prompt is some tokens more. */
  const mostCost = (text: string): string => {
    const inputTokens = new TextEncoder().encode(text).length + 32;
    const nanoUsd =
      (inputTokens * Number(words['inputPrice']) + Number(limit?.value) * Number(words['outputPrice'])) / 1e6;
    return new Intl.NumberFormat(document.documentElement.lang, {
      ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
      ...{ maximumSignificantDigits: 3, minimumSignificantDigits: 1 },
    }).format(nanoUsd / 1e9);
  };

  form.addEventListener('input', sayMost);
  stop?.addEventListener('click', () => asking?.abort());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (asking !== undefined) return;
    asking = new AbortController();
    const { signal } = asking;
    begin();
    try {
      await watch(new FormData(form), signal);
      if (state && state.textContent === words['waiting']) state.textContent = '';
    } catch (error) {
      if (signal.aborted) {
        if (state) state.textContent = words['stopped'] ?? '';
      } else refuse((error instanceof Refused ? error.message : words['failed']) ?? '');
    }
    asking = undefined;
    if (send) send.disabled = false;
    if (stop) stop.hidden = true;
  });

  function begin(): void {
    const [box, record] = [at('[data-answer]'), at('[data-record]')];
    if (box) box.hidden = false;
    if (record) record.hidden = true;
    if (refused) refused.hidden = true;
    answer.hidden = false;
    answer.textContent = '';
    if (state) state.textContent = words['waiting'] ?? '';
    if (send) send.disabled = true;
    if (stop) stop.hidden = false;
  }

  /** What came before it stays; an empty answer says nothing. */
  function refuse(text: string): void {
    answer.hidden = answer.textContent === '';
    if (state) state.textContent = '';
    const told = refused?.querySelector('p');
    if (!refused || !told) return;
    told.textContent = text;
    refused.hidden = false;
  }

  async function watch(fields: FormData, signal: AbortSignal): Promise<void> {
    const response = await fetch(shown.dataset['try'] ?? '', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(fields)),
      signal,
    });
    if (!response.ok || response.body === null) {
      const { error = '' }: { error?: string } = await response.json();
      throw new Refused(error);
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    while (true) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const frames = rest.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) tell(JSON.parse(frame.replace(/^data: /, '')));
    }
  }

  function tell({ text, error, record }: TryEvent): void {
    if (text !== undefined) answer.append(text);
    if (error !== undefined) refuse(error);
    if (record === undefined) return;
    for (const [name, value] of Object.entries(record)) {
      const place = at(`[data-fact="${CSS.escape(name)}"]`);
      if (place) place.textContent = value;
    }
    const facts = at('[data-record]');
    if (facts) facts.hidden = false;
  }
}

/** What the server said in place of an answer. */
class Refused extends Error {}
