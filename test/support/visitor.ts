/** A browser as far as cookies and redirects go: it keeps each host's own, and asks hosts of tests where they really are. */

export interface Seen {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const mostRedirects = 12;

export class Visitor {
  /** By host, then by name; readable, so that a test can steal one. */
  readonly cookies = new Map<string, Map<string, string>>();
  readonly #hosts: Readonly<Record<string, string>>;

  /** @param hosts where each host name is really listened for, such as `127.0.0.1:1234`. */
  constructor(hosts: Readonly<Record<string, string>>) {
    this.#hosts = hosts;
  }

  /** One request, without following where it leads. */
  async step(address: string, init: RequestInit = {}): Promise<Seen & { readonly location: string | null }> {
    const url = new URL(address);
    const jar = this.cookies.get(url.host) ?? new Map<string, string>();
    this.cookies.set(url.host, jar);
    const headers = new Headers(init.headers);
    if (!headers.has('accept')) headers.set('accept', 'text/html');
    headers.set('host', url.host);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const real = new URL(url);
    real.host = this.#hosts[url.host] ?? url.host;
    const answer = await fetch(real, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const isGone = value === '' || /max-age=0(?:;|$)/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line);
      if (isGone) jar.delete(name);
      else jar.set(name, value);
    }
    const location = answer.headers.get('location');
    return {
      url: url.href,
      status: answer.status,
      text: await answer.text(),
      headers: answer.headers,
      location: location === null ? null : new URL(location, url).href,
    };
  }

  /** Follows redirects, and pages that go on by themselves, until `stopAt` would be asked or nothing leads on. */
  async go(address: string, init: RequestInit = {}, stopAt?: (url: string) => boolean): Promise<Seen> {
    let seen = await this.step(address, init);
    for (let count = 0; count < mostRedirects; count += 1) {
      const [, refresh] = /^0; url=(.*)$/.exec(seen.headers.get('refresh') ?? '') ?? [];
      const next = seen.headers.get('location') ?? refresh;
      if (next === undefined || next === null) return seen;
      const url = new URL(next, seen.url).href;
      if (stopAt?.(url) === true) return { ...seen, url };
      seen = await this.step(url);
    }
    throw new Error(`${address} leads on for ever`);
  }

  post(address: string, fields: Record<string, string>, stopAt?: (url: string) => boolean): Promise<Seen> {
    const init = {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(address).origin },
    };
    return this.go(address, init, stopAt);
  }
}
