/** The reference of the APIs: finds addresses while somebody types, and sends the request that a form describes. */

const tokenName = 'sluice-reference-token';
/** A page need not hold more of an answer. */
const mostShown = 20_000;

const search = document.querySelector<HTMLInputElement>('.search input[name="q"]');
search?.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const group of document.querySelectorAll<HTMLElement>('.reference-group')) {
    let shown = 0;
    for (const line of group.querySelectorAll<HTMLElement>('[data-words]')) {
      line.hidden = !words.every((word) => line.dataset['words']?.includes(word));
      if (!line.hidden) shown += 1;
    }
    group.hidden = shown === 0;
    count += shown;
  }
  const none = document.querySelector<HTMLElement>('[data-none]');
  if (none) none.hidden = count > 0;
});

const form = document.querySelector<HTMLFormElement>('form[data-try]');
const place = document.querySelector<HTMLElement>('[data-answer]');
const status = place?.querySelector<HTMLElement>('[data-status]');
const text = place?.querySelector<HTMLElement>('[data-text]');
const save = place?.querySelector<HTMLAnchorElement>('[data-save]');

if (form && place && status && text && save) {
  form.hidden = false;
  const token = form.querySelector<HTMLInputElement>('[name="token"]');
  if (token) token.value = sessionStorage.getItem(tokenName) ?? '';
  let running: AbortController | undefined;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    running?.abort();
    running = new AbortController();
    if (token) sessionStorage.setItem(tokenName, token.value);
    void send(form, { place, status, text, save }, running.signal);
  });
}

interface Parts {
  readonly place: HTMLElement;
  readonly status: HTMLElement;
  readonly text: HTMLElement;
  readonly save: HTMLAnchorElement;
}

async function send(asked: HTMLFormElement, parts: Parts, signal: AbortSignal): Promise<void> {
  const { place: shown, status: line, text: output, save: link } = parts;
  const say = (words: string, mood: string) => {
    line.textContent = words;
    line.className = `state ${mood}`;
  };
  shown.hidden = false;
  output.hidden = true;
  link.hidden = true;
  output.textContent = '';
  const request = readRequest(asked);
  if (request === null) return say(asked.dataset['badBody'] ?? '', 'bad');
  say(asked.dataset['waiting'] ?? '', 'off');
  const beganMs = performance.now();
  try {
    const answer = await fetch(request.url, { ...request.init, signal });
    const name = `${answer.status} ${answer.statusText}`.trim();
    const tell = () =>
      say(`${name} · ${Math.round(performance.now() - beganMs)} ms`, answer.ok ? 'good' : 'bad');
    tell();
    if (/^(audio|image)\/|octet-stream/.test(answer.headers.get('content-type') ?? '')) {
      link.href = URL.createObjectURL(await answer.blob());
      link.hidden = false;
    } else {
      output.hidden = false;
      await show(answer, output, asked.dataset['cut'] ?? '');
    }
    tell();
  } catch {
    if (!signal.aborted) say(asked.dataset['failed'] ?? '', 'bad');
  }
}

/** A stream is shown while it comes; JSON is set in lines once it is whole. */
async function show(answer: Response, output: HTMLElement, cut: string): Promise<void> {
  let whole = '';
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (reader) {
    const { value, done } = await reader.read();
    if (done) break;
    whole += value;
    output.textContent = whole;
    if (whole.length <= mostShown) continue;
    output.textContent = `${whole.slice(0, mostShown)}\n${cut}`;
    await reader.cancel();
    return;
  }
  try {
    output.textContent = JSON.stringify(JSON.parse(whole), null, 2);
  } catch {
    // It is no JSON, and stands there as it came.
  }
}

function readRequest(asked: HTMLFormElement): { url: string; init: RequestInit } | null {
  const { method = 'GET', path = '/', bodyType = '' } = asked.dataset;
  const fields = new FormData(asked);
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream, */*;q=0.5' };
  const query = new URLSearchParams();
  const parts = new FormData();
  let address = path;
  for (const [name, value] of fields) {
    const [, where, field] = /^(path|query|field)-(.*)$/.exec(name) ?? [];
    if (field === undefined || value === '') continue;
    if (where === 'field') parts.append(field, value);
    else if (where === 'query') query.set(field, String(value));
    else address = address.replace(`{${field}}`, encodeURIComponent(String(value)));
  }
  const token = fields.get('token');
  if (typeof token === 'string' && token !== '') headers['authorization'] = `Bearer ${token.trim()}`;
  const url = query.size === 0 ? address : `${address}?${query}`;
  const body = fields.get('body');
  if (bodyType === 'multipart/form-data') return { url, init: { method, headers, body: parts } };
  if (typeof body !== 'string') return { url, init: { method, headers } };
  try {
    JSON.parse(body);
  } catch {
    return null;
  }
  return { url, init: { method, headers: { ...headers, 'content-type': 'application/json' }, body } };
}

export {};
