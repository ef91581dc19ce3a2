/** A small server that stands for a vendor: it gives one answer to everything and remembers what it was asked. */

export interface VendorRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface VendorDouble {
  readonly url: string;
  readonly requests: readonly VendorRequest[];
  stop(): void;
}

export function serveVendor(answer: string, status = 200): VendorDouble {
  const requests: VendorRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(http) {
      requests.push({ path: new URL(http.url).pathname, headers: http.headers, body: await http.json() });
      return new Response(answer, { status, headers: { 'content-type': 'application/json' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, stop: () => void server.stop(true) };
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
