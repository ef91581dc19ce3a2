/** Passkeys: asks the server for a question, the browser for the answer, and sends that back. */

for (const root of document.querySelectorAll<HTMLElement>('[data-passkey]')) {
  const button = root.querySelector('button');
  const failed = root.querySelector<HTMLElement>('[data-passkey-failed]');
  const usual = failed?.textContent ?? '';
  // Browsers that cannot read the question in its JSON form do without, and an address in numbers can have no passkeys.
  if (
    !button ||
    !('PublicKeyCredential' in window) ||
    !('parseCreationOptionsFromJSON' in PublicKeyCredential) ||
    /^[\d.]+$|:/.test(location.hostname)
  ) {
    continue;
  }
  root.hidden = false;
  button.addEventListener('click', async () => {
    button.setAttribute('aria-busy', 'true');
    if (failed) failed.hidden = true;
    try {
      location.assign(await (root.dataset['passkey'] === 'add' ? add(root) : enter(root)));
    } catch (thrown) {
      // Also when its person thought better of it; the server says in words what it refuses.
      if (failed) failed.textContent = thrown instanceof PasskeyRefused ? thrown.message : usual;
      if (failed) failed.hidden = false;
      button.removeAttribute('aria-busy');
    }
  });
}

async function enter(root: HTMLElement): Promise<string> {
  const { options } = await post('/auth/passkey/options', {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const answer = await navigator.credentials.get({ publicKey });
  return (await post('/auth/passkey', { answer, next: root.dataset['next'] })).next;
}

async function add(root: HTMLElement): Promise<string> {
  const { options } = await post('/dashboard/settings/passkeys/options', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const answer = await navigator.credentials.create({ publicKey });
  const name = root.querySelector('input')?.value ?? '';
  return (await post('/dashboard/settings/passkeys', { answer, name })).next;
}

/** A credential becomes JSON by its own `toJSON`. */
async function post(path: string, body: object) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.ok) return await answer.json();
  const { error } = await answer.json();
  throw typeof error === 'string' ? new PasskeyRefused(error) : new Error(String(answer.status));
}

/** What the server says of it, in the page's language. */
class PasskeyRefused extends Error {}
