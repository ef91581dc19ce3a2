/**
 * `npm run page-times`: how long the server takes for every page, and when a browser paints the first of some. On the
 * embedded database with a few requests; with `--demo` on the demonstration's year, as somebody of each role, with
 * `--postgres` over PostgreSQL. `--rows 100000` of the demonstration, `--times 30`. It ends with 1 when a page takes
 * longer than `--limit-ms`: in the median (20), with the demonstration in nineteen of twenty answers (150, over
 * PostgreSQL 50). `--only usage` asks those with that in their address. `--scale URL` asks the database that `usage-scale
 * --database-url URL` has filled, as somebody of each role who looks at all that theirs administers.
 */
import { parseArgs } from 'node:util';
import { isAtLeast, type UserRole } from '../../src/identity/index.ts';
import { portalRoutes } from '../../src/portal/routes.ts';
import { launchNamed, openWindow } from '../browser/browser.ts';
import { startDemoProgram } from '../demo/program.ts';
import { startScaleProgram } from '../usage-scale/program.ts';
import { startSmallProgram } from './small-program.ts';

/** The runtime compiles what runs often. */
const warmUps = 20;
const paintedPaths = ['/', '/login', '/dashboard'] as const;
const paints = 7;

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '30' },
    rows: { type: 'string', default: '100000' },
    demo: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    scale: { type: 'string' },
    only: { type: 'string', default: '' },
    'limit-ms': { type: 'string' },
  },
});
const times = Number(values.times);
const kind = values.postgres ? 'postgres' : 'embedded';
/** With much data what pages lead to is asked too, and the slow answers are judged. */
const isLarge = values.demo || values.scale !== undefined;
const limitMs = Number(values['limit-ms'] ?? (isLarge ? (values.postgres ? 50 : 150) : 20));

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Visitor {
  readonly name: string;
  readonly role: UserRole;
  readonly cookie: string;
}

const { program, visitors, discard } = await start();
try {
  process.exitCode = (await timePages(visitors)) ? 0 : 1;
  if (values.only === '') await timePaints(visitors[0]?.cookie ?? '');
} finally {
  await discard();
}

function start() {
  if (values.scale !== undefined) return startScaleProgram(values.scale);
  return values.demo ? startDemo() : startSmallProgram(kind);
}

async function startDemo() {
  const demo = await startDemoProgram({ kind, rows: Number(values.rows) });
  const people = [
    ['olga', 'platform_owner'],
    ['agnes', 'org_owner'],
    ['felix', 'member'],
  ] as const;
  const visitors: Visitor[] = [];
  for (const [name, role] of people) visitors.push({ name, role, cookie: await demo.signIn(name) });
  return { program: demo.program, visitors, discard: demo.discard };
}

/** @returns whether every page was within the limit. */
async function timePages(visitors: readonly Visitor[]): Promise<boolean> {
  const rows: TimedPage[] = [];
  for (const [place, { name, role, cookie }] of visitors.entries()) {
    for (const path of await pathsFor(role, { cookie, isFirst: place === 0 })) {
      if (path.includes(values.only)) rows.push(await timePage(path, { who: name, cookie }));
    }
  }
  const judged = (row: TimedPage) => (isLarge ? row.p95Ms : row.medianMs);
  rows.sort((one, other) => judged(other) - judged(one));
  say('| page | who | status | median ms | p95 ms | slowest ms | processor ms | bytes sent |');
  say('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const row of rows) {
    const { path, who, status, medianMs, p95Ms, slowestMs, cpuMs, sentBytes } = row;
    const mark = judged(row) > limitMs ? ' TOO SLOW' : '';
    const figures = [medianMs, p95Ms, slowestMs].map((spanMs) => spanMs.toFixed(1));
    say(`| ${[path, who, status, ...figures].join(' | ')}${mark} | ${cpuMs.toFixed(1)} | ${sentBytes} |`);
  }
  const slow = rows.filter((row) => judged(row) > limitMs).length;
  const sum = rows.reduce((bytes, { sentBytes }) => bytes + sentBytes, 0);
  say(`${rows.length} pages, ${sum} bytes; ${slow} above ${limitMs} ms`);
  return slow === 0;
}

/** What this role may open; what anyone may is the same for all. With the demonstration also what its pages lead to. */
async function pathsFor(
  role: UserRole,
  { cookie, isFirst }: { cookie: string; isFirst: boolean },
): Promise<readonly string[]> {
  const mayOpen = (access: (typeof portalRoutes)[number]['access']) =>
    access === 'anyone' || access === 'session' ? isFirst : isAtLeast(role, access);
  const plain = portalRoutes
    .filter(
      ({ method, path, answers, changes, access }) =>
        method === 'GET' &&
        !path.includes('{') &&
        changes !== true &&
        answers !== 'redirect' &&
        // A whole year as a file is no page.
        !(isLarge && (answers === 'file' || answers === 'csv')) &&
        !path.endsWith('/live') &&
        mayOpen(access),
    )
    .map(({ path }) => path);
  return isLarge ? [...plain, ...(await pathsOfMuch(cookie))] : plain;
}

async function pathsOfMuch(cookie: string): Promise<readonly string[]> {
  const linkOn = async (path: string, wanted: RegExp) => {
    const answer = await fetch(`${program.url}${path}`, { headers: { cookie, accept: 'text/html' } });
    return wanted.exec(await answer.text())?.slice(1) ?? [];
  };
  const [keys, models, requests] = await Promise.all([
    linkOn('/dashboard/keys?sort=-spend', /href="(\/dashboard\/keys\/\d+)"/),
    linkOn('/dashboard/models', /href="(\/dashboard\/models\/[^"?]+)"/),
    linkOn('/dashboard/request-log', /href="(\/dashboard\/request-log\/[0-9a-f-]{36})"/),
  ]);
  return [
    ...['/dashboard?days=1', '/dashboard?days=7', '/dashboard/keys?sort=-spend'],
    ...['key', 'person', 'tag', 'end_user'].map((by) => `/dashboard/usage?by=${by}&range=365d`),
    ...['latency', 'tokens'].map((metric) => `/dashboard/usage?metric=${metric}&range=90d`),
    ...['range=all&status=failed', 'range=month&tag=ci', 'range=all&min_cost=1'].map(
      (asked) => `/dashboard/request-log?${asked}`,
    ),
    ...[...keys, ...models, ...requests],
  ];
}

interface TimedPage {
  readonly path: string;
  readonly who: string;
  readonly status: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly slowestMs: number;
  /** Of the whole program for one answer, its embedded database with it, to some tenths: the system counts in 10 ms. */
  readonly cpuMs: number;
  /** As it went over the wire, compressed or not. */
  readonly sentBytes: number;
}

async function timePage(path: string, { who, cookie }: { who: string; cookie: string }): Promise<TimedPage> {
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip, br, zstd', cookie };
  const taken: number[] = [];
  let status = 0;
  let sentBytes = 0;
  let usedMs = 0;
  for (let count = 0; count < warmUps + times; count += 1) {
    if (count === warmUps) usedMs = program.readCost().cpuMs;
    const startedMs = performance.now();
    const answer = await fetch(`${program.url}${path}`, { headers, redirect: 'manual', decompress: false });
    sentBytes = (await answer.arrayBuffer()).byteLength;
    if (count >= warmUps) taken.push(performance.now() - startedMs);
    status = answer.status;
  }
  const cpuMs = (program.readCost().cpuMs - usedMs) / times;
  const [medianMs, p95Ms] = [quantileOf(taken, 0.5), quantileOf(taken, 0.95)];
  return { path, who, status, medianMs, p95Ms, slowestMs: Math.max(...taken), cpuMs, sentBytes };
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
        `first contentful paint of ${path}: median ${quantileOf(taken, 0.5).toFixed(0)} ms, slowest ${slowest} ms`,
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

function quantileOf(taken: readonly number[], share: number): number {
  const place = Math.min(taken.length - 1, Math.floor(taken.length * share));
  return taken.toSorted((one, other) => one - other)[place] ?? Number.NaN;
}
