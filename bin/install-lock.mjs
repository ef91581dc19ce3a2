/** One installation at a time: a lock file outside node_modules, because npm empties that folder. */
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 200;
const heartbeatMs = 5_000;
const abandonedAfterMs = 60_000;

/** Runs `work` while no other process on this machine does so for the same folder; `onWait` is called once if we must wait. */
export async function withInstallLock(folder, work, onWait) {
  const file = lockFile(folder);
  const mark = `${process.pid} ${Date.now()}`;
  let waited = false;
  while (!take(file, mark)) {
    if (removeIfAbandoned(file)) continue;
    if (!waited) onWait();
    waited = true;
    await sleep(pollMs);
  }
  const heartbeat = setInterval(() => touch(file), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (read(file) === mark) rmSync(file, { force: true });
  }
}

function lockFile(folder) {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `sluice-install-${process.getuid?.() ?? 0}-${name}.lock`);
}

function take(file, mark) {
  try {
    writeFileSync(file, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function removeIfAbandoned(file) {
  const mark = read(file);
  if (mark === undefined || !isAbandoned(file, mark)) return false;
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return true;
  }
  // Between our look and the rename another process may have taken over: then what we hold is its lock, and it goes back.
  if (read(aside) !== mark) putBack(aside, file);
  rmSync(aside, { force: true });
  return true;
}

function isAbandoned(file, mark) {
  const silentMs = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (silentMs > abandonedAfterMs) return true;
  const pid = Number(mark.split(' ')[0]);
  return pid > 0 && !isAlive(pid);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function putBack(aside, file) {
  try {
    linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // The lock was taken from us after a long standstill; the release checks whose it is.
  }
}
