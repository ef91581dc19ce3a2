/** One client put to work in a folder and a home of its own, and what is said of it. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const patienceMs = 180_000;
const shownLines = 25;
const shownCharacters = 300;

export interface Outcome {
  /** Empty when it did its work. */
  readonly complaints: readonly string[];
  /** What it printed. */
  readonly printed: string;
}

export interface Ended {
  readonly exitCode: number | string;
  /** Both its streams in one. */
  readonly printed: string;
}

/** @returns whether it did its work. */
export async function tryOut(title: string, work: (folder: string) => Promise<Outcome>): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  try {
    const { complaints, printed } = await work(folder);
    const isWell = complaints.length === 0;
    say([`${isWell ? 'pass' : 'FAIL'}  ${title}`, ...complaints].join('\n      '));
    if (!isWell) say(shorten(printed));
    return isWell;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function shorten(printed: string): string {
  const lines = printed.trim().split('\n').slice(-shownLines);
  return lines.map((line) => `      | ${line.slice(0, shownCharacters)}`).join('\n');
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** With a home of its own, so that nobody's settings are read or changed. */
export function run(
  [program = '', ...args]: readonly string[],
  { cwd, home, variables }: { cwd: string; home: string; variables: Readonly<Record<string, string>> },
): Promise<Ended> {
  const { PATH = '' } = process.env;
  const child = spawn(program, args, {
    cwd,
    env: { PATH, HOME: home, CI: '1', NO_COLOR: '1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a group of its own, so that what it starts ends with it.
    detached: true,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      printed += piece;
    });
  }
  const killer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), patienceMs);
  return new Promise((resolve) => {
    const end = (exitCode: number | string) => {
      clearTimeout(killer);
      resolve({ exitCode, printed });
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(code ?? signal ?? 'unknown'));
  });
}
