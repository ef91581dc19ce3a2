/**
 * `npm run page-times`: how long the server takes for every page that needs nothing in its address, on the embedded
 * database, and when a browser paints the first of some. It ends with 1 when the median of a page is above the limit:
 * `--times 30`, `--limit-ms 20`.
 */
import { parseArgs } from 'node:util';
import { isAtLeast } from '../../src/identity/index.ts';
import { portalRoutes } from '../../src/portal/routes.ts';
import { launchNamed, openWindow } from '../browser/browser.ts';
import { prepareEmbedded } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { newToken, owner } from '../support/sluice.ts';

const password = 'a long enough password';
/** So that what is drawn of requests has something to draw. */
const requestCount = 60;
/** The runtime compiles what runs often. */
const warmUps = 20;
const paintedPaths = ['/', '/login', '/dashboard'] as const;
const paints = 7;

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '30' },
    'limit-ms': { type: 'string', default: '20' },
  },
});
const times = Number(values.times);
const limitMs = Number(values['limit-ms']);

const say = (line: string) => process.stdout.write(`${line}\n`);

const token = newToken();
const database = await prepareEmbedded();
const program = await startProgram({
  database,
  file: {
    users: [{ email: owner, password, role: 'platform_owner', wallet_usd: 25 }],
    providers: [{ name: 'simulator', kind: 'simulator' }],
    models: ['chat-1', 'chat-2', 'chat-3'].map((id) => ({
      ...{
        id,
        type: 'chat',
        owned_by: 'doubles',
        context_window: 128_000,
        prices: { input: 0.15, output: 0.6 },
      },
      providers: [{ provider: 'simulator', upstream_id: 'simulator' }],
    })),
    keys: [{ name: 'usual', owner, token }],
  },
});
try {
  await sendRequests(program);
  const cookie = await signIn(program);
  process.exitCode = (await timePages(cookie)) ? 0 : 1;
  await timePaints(cookie);
} finally {
  await program.discard();
  await database.discard();
}

async function sendRequests({ url }: SluiceProgram): Promise<void> {
  for (let sent = 0; sent < requestCount; sent += 1) {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `chat-${(sent % 3) + 1}`,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    await answer.text();
    if (answer.status !== 200) throw new Error(`a request was answered with ${answer.status}`);
  }
}

/** The session's cookie, as `name=value`. */
async function signIn({ url }: SluiceProgram): Promise<string> {
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: owner, password }),
  });
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  if (answer.status !== 200) throw new Error(`signing in was answered with ${await answer.text()}`);
  return cookies.join('; ');
}

/** @returns whether every page was within the limit. */
async function timePages(cookie: string): Promise<boolean> {
  const routes = portalRoutes.filter(
    ({ method, path, answers, changes }) =>
      method === 'GET' && !path.includes('{') && changes !== true && answers !== 'redirect',
  );
  const rows: TimedPage[] = [];
  for (const { path, access } of routes) {
    if (access !== 'anyone' && access !== 'session' && !isAtLeast('platform_owner', access)) continue;
    rows.push(await timePage(`${program.url}${path}`, { path, cookie: access === 'anyone' ? null : cookie }));
  }
  rows.sort((one, other) => other.medianMs - one.medianMs);
  say('| page | who | status | median ms | slowest ms | processor ms | bytes sent |');
  say('| --- | --- | ---: | ---: | ---: | ---: | ---: |');
  for (const { path, who, status, medianMs, slowestMs, cpuMs, sentBytes } of rows) {
    const mark = medianMs > limitMs ? ' TOO SLOW' : '';
    const figures = [
      status,
      `${medianMs.toFixed(1)}${mark}`,
      slowestMs.toFixed(1),
      cpuMs.toFixed(1),
      sentBytes,
    ];
    say(`| ${[path, who, ...figures].join(' | ')} |`);
  }
  const slow = rows.filter(({ medianMs }) => medianMs > limitMs).length;
  const sum = rows.reduce((bytes, { sentBytes }) => bytes + sentBytes, 0);
  say(`${rows.length} pages, ${sum} bytes; ${slow} above ${limitMs} ms`);
  return slow === 0;
}

interface TimedPage {
  readonly path: string;
  readonly who: string;
  readonly status: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** Of the whole program for one answer, its embedded database with it, to some tenths: the system counts in 10 ms. */
  readonly cpuMs: number;
  /** As it went over the wire, compressed or not. */
  readonly sentBytes: number;
}

async function timePage(
  address: string,
  { path, cookie }: { path: string; cookie: string | null },
): Promise<TimedPage> {
  const headers = {
    ...{ accept: 'text/html', 'accept-encoding': 'gzip, br, zstd' },
    ...(cookie === null ? {} : { cookie }),
  };
  const taken: number[] = [];
  let status = 0;
  let sentBytes = 0;
  let usedMs = 0;
  for (let count = 0; count < warmUps + times; count += 1) {
    if (count === warmUps) usedMs = program.readCost().cpuMs;
    const startedMs = performance.now();
    const answer = await fetch(address, { headers, redirect: 'manual', decompress: false });
    sentBytes = (await answer.arrayBuffer()).byteLength;
    if (count >= warmUps) taken.push(performance.now() - startedMs);
    status = answer.status;
  }
  const cpuMs = (program.readCost().cpuMs - usedMs) / times;
  const who = cookie === null ? 'nobody' : 'owner';
  return { path, who, status, medianMs: medianOf(taken), slowestMs: Math.max(...taken), cpuMs, sentBytes };
}

/** Each in a window that has nothing in its cache. */
async function timePaints(cookie: string): Promise<void> {
  const { url } = program;
  const browser = await launchNamed();
  try {
    for (const path of paintedPaths) {
      const taken: number[] = [];
      for (let count = 0; count <= paints; count += 1) {
        const window = await openWindow(browser, { site: url, width: 1440, theme: 'light' });
        if (path === '/dashboard') await window.context.addCookies(cookiesFor(url, cookie));
        await window.page.goto(`${url}${path}`, { waitUntil: 'load' });
        const paintedMs = await window.page.evaluate(firstPaint);
        // The first one also starts what the browser starts once.
        if (count > 0) taken.push(paintedMs);
        await window.close();
      }
      const slowest = Math.max(...taken).toFixed(0);
      say(
        `first contentful paint of ${path}: median ${medianOf(taken).toFixed(0)} ms, slowest ${slowest} ms`,
      );
    }
  } finally {
    await browser.close();
  }
}

function cookiesFor(url: string, cookie: string) {
  return cookie.split('; ').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return { name, value: value.join('='), url };
  });
}

/** Runs in the page: since the navigation began, in milliseconds. */
function firstPaint(): Promise<number> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const entry = list.getEntriesByName('first-contentful-paint')[0];
      if (entry !== undefined) resolve(entry.startTime);
    }).observe({ type: 'paint', buffered: true });
  });
}

function medianOf(taken: readonly number[]): number {
  return taken.toSorted((one, other) => one - other)[Math.floor(taken.length / 2)] ?? Number.NaN;
}
