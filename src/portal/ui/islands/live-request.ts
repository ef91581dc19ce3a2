/** The request that a visitor of the start page sends: its answer as it comes, then what is known of it. */

interface Span {
  readonly from: number;
  readonly width: number;
  readonly text: string;
}

interface LiveRecord {
  readonly id: string;
  readonly spans: Readonly<Record<string, Span>>;
  readonly figures: Readonly<Record<string, string>>;
}

interface LiveEvent {
  readonly text?: string;
  readonly record?: LiveRecord;
}

const button = document.querySelector<HTMLButtonElement>('[data-live]');
const shown = document.querySelector<HTMLElement>('[data-live-shown]');
const recorded = document.querySelector<HTMLElement>('[data-recorded]');
const text = document.querySelector<HTMLElement>('[data-live-text]');

if (button && shown && recorded && text) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    shown.hidden = false;
    recorded.hidden = true;
    text.textContent = button.dataset['waiting'] ?? '';
    try {
      await watch(text);
      button.textContent = button.dataset['again'] ?? '';
      const detail = document.querySelector<HTMLElement>('span[data-detail]');
      if (detail) detail.textContent = button.dataset['detail'] ?? '';
    } catch {
      shown.hidden = true;
      recorded.hidden = false;
      const detail = document.querySelector<HTMLElement>('span[data-detail]');
      if (detail) detail.textContent = button.dataset['failed'] ?? '';
    }
    button.disabled = false;
  });
}

async function watch(output: HTMLElement): Promise<void> {
  const answer = await fetch('/demonstration', { method: 'POST', headers: { accept: 'text/event-stream' } });
  if (!answer.ok || answer.body === null) throw new Error(String(answer.status));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let whole = '';
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const event: LiveEvent = JSON.parse(frame.replace(/^data: /, ''));
      whole += event.text ?? '';
      output.textContent = whole;
      if (event.record) show(event.record);
    }
  }
}

function show({ id, spans, figures }: LiveRecord): void {
  for (const [key, { from, width, text: words }] of Object.entries(spans)) {
    const bar = document.querySelector(`[data-span="${key}"]`);
    bar?.setAttribute('x', `${Math.min(from, 100 - width)}%`);
    bar?.setAttribute('width', `${width}%`);
    write(`[data-span-text="${key}"]`, words);
  }
  for (const [key, words] of Object.entries(figures)) write(`[data-figure="${key}"]`, words);
  write('[data-live-id]', id);
}

function write(selector: string, words: string): void {
  const place = document.querySelector(selector);
  if (place) place.textContent = words;
}

export {};
