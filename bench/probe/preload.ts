/**
 * Loaded before the program that is measured, by the bench alone: a unix socket that tells how long the turns of the
 * event loop were, and how many objects the collector knows. It does nothing until it is asked.
 */

import { heapStats } from 'bun:jsc';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const everyMs = 1;

/** The kernel's account of this process's first thread, which is the one that JavaScript runs on. */
const accountFile = '/proc/self/schedstat';

interface Watch {
  readonly timer: Timer;
  longestMs: number;
}

let watch: Watch | undefined;

/** A turn is what passes between two ticks of a fine timer, less what the thread waited for a core to run on. */
function beginTurns(): void {
  let lastMs = performance.now();
  let lastWaitedMs = readWaitedMs();
  const begun: Watch = {
    longestMs: 0,
    timer: setInterval(() => {
      const nowMs = performance.now();
      const waitedMs = readWaitedMs();
      begun.longestMs = Math.max(begun.longestMs, nowMs - lastMs - (waitedMs - lastWaitedMs));
      lastMs = nowMs;
      lastWaitedMs = waitedMs;
    }, everyMs),
  };
  watch = begun;
}

function endTurns(): number {
  clearInterval(watch?.timer);
  const longestMs = watch?.longestMs ?? 0;
  watch = undefined;
  return longestMs;
}

function readWaitedMs(): number {
  const [, waitedNs] = readFileSync(accountFile, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}

/** Those that are reachable or were made since the last collection. */
function countObjects(): number {
  return Object.values(heapStats().objectTypeCounts).reduce((sum, count) => sum + count, 0);
}

function answer(path: string): number {
  switch (path) {
    case '/turns/begin':
      beginTurns();
      return 0;
    case '/turns/end':
      return endTurns();
    case '/objects/collect':
      Bun.gc(true);
      return countObjects();
    default:
      return countObjects();
  }
}

const folder = process.env['SLUICE_BENCH_PROBE'];
// A thread of the program's own, such as that of the embedded database, loads this too.
if (folder !== undefined && Bun.isMainThread) {
  const server = Bun.serve({
    unix: join(folder, `${process.pid}.sock`),
    fetch: (request) => Response.json(answer(new URL(request.url).pathname)),
  });
  server.unref();
}
