/** The first steps of an account: asks every few seconds which have happened, until all have or nobody looks for long. */

const section = document.querySelector<HTMLElement>('[data-first-steps]');
const everyMs = 2500;
/** Some ten minutes of a page that is looked at. */
const mostAsks = 240;

if (section) void watch(section, section.dataset['firstSteps'] ?? '');

async function watch(shown: HTMLElement, address: string): Promise<void> {
  for (let asked = 0; asked < mostAsks; asked += 1) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (document.hidden) await new Promise(whenShown);
    const steps = await ask(address);
    if (steps === null) return;
    if (show(shown, steps)) return;
  }
}

function whenShown(resolve: (value: unknown) => void): void {
  document.addEventListener('visibilitychange', resolve, { once: true });
}

/** Null once there is nobody to ask: the session ended, or the server is another. */
async function ask(address: string): Promise<Readonly<Record<string, boolean>> | null> {
  try {
    const answer = await fetch(address, { headers: { accept: 'application/json' } });
    return answer.ok ? await answer.json() : null;
  } catch {
    // A server that starts again is asked again.
    return {};
  }
}

/** @returns whether all are done. */
function show(shown: HTMLElement, steps: Readonly<Record<string, boolean>>): boolean {
  const items = [...shown.querySelectorAll<HTMLElement>('[data-step]')];
  for (const item of items.filter((each) => steps[each.dataset['step'] ?? ''] === true)) {
    const state = item.querySelector('.state');
    state?.classList.replace('off', 'good');
    const said = state?.querySelector('.hidden');
    if (said) said.textContent = shown.dataset['done'] ?? '';
    item.querySelector('[data-step-waiting]')?.remove();
  }
  const count = items.filter((item) => item.querySelector('.state.good') !== null).length;
  const progress = shown.querySelector('[data-steps-progress]');
  const text = (shown.dataset['progress'] ?? '').replace('-1', String(count));
  if (progress && progress.textContent !== text) progress.textContent = text;
  const isAll = count === items.length;
  const all = shown.querySelector<HTMLElement>('[data-steps-all]');
  if (all) all.hidden = !isAll;
  return isAll;
}

export {};
