/** What the tests of vendors share: a server that stands for one, tasks for it, and the recorded answers of a folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryParseJson } from '../../protocols/json/fields.ts';
import type { UpstreamTask } from '../provider.ts';

export interface VendorRequest {
  readonly url: URL;
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** What the bytes say in JSON; undefined when they are none. */
  readonly body: unknown;
}

export interface VendorDouble {
  readonly url: string;
  readonly requests: readonly VendorRequest[];
  stop(): void;
}

/** Gives one answer to everything, or the one for a path, and remembers what it was asked. */
export function serveVendor(answer: string | ((path: string) => Response), status = 200): VendorDouble {
  const requests: VendorRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(http) {
      const url = new URL(http.url);
      const bytes = Buffer.from(await http.arrayBuffer());
      const body = tryParseJson(bytes.toString());
      requests.push({ url, path: url.pathname, headers: http.headers, bytes, body });
      if (typeof answer === 'function') return answer(url.pathname);
      return new Response(answer, { status, headers: { 'content-type': 'application/json' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, stop: () => void server.stop(true) };
}

export function formOf({ bytes, headers }: VendorRequest): Promise<FormData> {
  return new Response(new Uint8Array(bytes), { headers }).formData();
}

interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The text of the answer to a request of an adapter. */
export async function askVendor(address: Address | Promise<Address>, body: string): Promise<string> {
  const { url, headers } = await address;
  const response = await fetch(url, { method: 'POST', headers, body });
  return response.text();
}

/** @param folder of the vendor, as `import.meta.dir` has it. */
export function fixturesIn(folder: string): (name: string) => string {
  return (name) => readFileSync(join(folder, 'fixtures', name), 'utf8');
}

export function taskFor(
  target: Partial<UpstreamTask['target']> = {},
  rest: Partial<Omit<UpstreamTask, 'target'>> = {},
): UpstreamTask {
  return {
    target: { name: 'main', baseUrl: null, region: null, secret: 'k', settings: {}, ...target },
    model: 'any',
    stream: false,
    body: '',
    forwarded: {},
    ...rest,
  };
}
