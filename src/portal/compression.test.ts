import { expect, test } from 'bun:test';
import { origin, type TestPortal, withTestPortal } from './testing/test-portal.ts';

let portal: TestPortal;
withTestPortal((opened) => {
  ({ portal } = opened);
});

async function ask(path: string, acceptEncoding: string | null, method = 'GET') {
  const headers: Record<string, string> = { accept: 'text/html' };
  if (acceptEncoding !== null) headers['accept-encoding'] = acceptEncoding;
  const answer = await portal.app.request(`${origin}${path}`, { method, headers });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const { headers: told } = answer;
  return {
    bytes,
    status: answer.status,
    encoding: told.get('content-encoding'),
    vary: told.get('vary'),
    told,
  };
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test.each(['/', '/openapi.json', '/login'])('%s goes as its client takes it, and says so', async (path) => {
  const plain = await ask(path, null);
  expect([plain.encoding, plain.vary]).toEqual([null, 'accept-encoding']);
  const gzip = await ask(path, 'gzip, deflate');
  expect([gzip.status, gzip.encoding, gzip.vary]).toEqual([200, 'gzip', 'accept-encoding']);
  expect(textOf(Bun.gunzipSync(new Uint8Array(gzip.bytes)))).toBe(textOf(plain.bytes));
  expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 2);
  const zstd = await ask(path, 'gzip, deflate, br, zstd');
  expect(zstd.encoding).toBe('zstd');
  expect(textOf(Bun.zstdDecompressSync(zstd.bytes))).toBe(textOf(plain.bytes));
  for (const name of ['content-security-policy', 'cache-control', 'content-type']) {
    expect(gzip.told.get(name)).toBe(plain.told.get(name));
  }
});

test.each(['identity', 'br', 'gzip;q=0', 'zstd; q=0, gzip;q=0.0', ''])(
  'who takes only “%s” is sent it as it is',
  async (acceptEncoding) => {
    const { encoding, bytes } = await ask('/login', acceptEncoding);
    expect(encoding).toBeNull();
    expect(textOf(bytes)).toStartWith('<!doctype html>');
  },
);

test('who would rather not have one kind is sent the other', async () => {
  expect((await ask('/login', 'zstd;q=0, GZIP')).encoding).toBe('gzip');
});

test('what is small, a redirect, and a look at the head alone stay as they are', async () => {
  const small = await portal.ask('/dashboard', { headers: { 'accept-encoding': 'gzip' } });
  const { headers } = small.answer;
  expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, 'accept-encoding']);
  expect(JSON.parse(small.text)).toMatchObject({ code: 'not_signed_in' });
  const redirect = await ask('/dashboard', 'gzip');
  expect([redirect.status, redirect.encoding]).toEqual([303, null]);
  const head = await ask('/', 'gzip', 'HEAD');
  expect([head.status, head.encoding, head.vary, head.bytes.length]).toEqual([
    200,
    null,
    'accept-encoding',
    0,
  ]);
});

test('cookies that come with a page arrive with the compressed one, each', async () => {
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip', cookie: 'sluice-form=nonsense' };
  const page = await portal.app.request(`${origin}/signup`, { headers });
  expect(page.headers.get('content-encoding')).toBe('gzip');
  expect(page.headers.getSetCookie()).toHaveLength(1);
});
