/** An upstream of one test's own making, which answers as the test says and remembers what it was asked. */

export interface VendorRequest {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: Record<string, unknown>;
}

export interface Vendor {
  readonly url: string;
  readonly requests: VendorRequest[];
  /** Those of the requests. */
  readonly bodies: readonly Record<string, unknown>[];
  /** @param call counted from one. */
  answer: (body: Record<string, unknown>, call: number) => Response | Promise<Response>;
  stop(): void;
}

export function serveVendor(): Vendor {
  const requests: VendorRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(http) {
      const body = await http.json();
      const authorization = http.headers.get('authorization');
      requests.push({ path: new URL(http.url).pathname, authorization, body });
      return vendor.answer(body, requests.length);
    },
  });
  const vendor: Vendor = {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    get bodies() {
      return requests.map(({ body }) => body);
    },
    answer: () => new Response('', { status: 500 }),
    stop: () => void server.stop(true),
  };
  return vendor;
}
