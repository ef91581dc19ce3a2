/** Reads what JavaScriptCore's collector writes about itself (`BUN_JSC_logGC=1`) into a program's log file. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

export interface Pauses {
  readonly totalMs: number;
  readonly longestMs: number;
}

/** The collector runs when the program is being loaded. */
const firstLinesBytes = 65_536;
const collectionLine = /\[GC<(0x[0-9a-f]+)>: START .* p=([0-9.]+)ms /g;

export class CollectorLog {
  readonly #file: string;
  /** The collector of the first thread, the first that writes; a thread of the database's pauses nobody else. */
  #heap: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** A place to read from later. */
  get end(): number {
    return statSync(this.#file).size;
  }

  readPauses(from: number): Pauses {
    this.#heap ??= collectionLine.exec(readPart(this.#file, 0, firstLinesBytes))?.[1];
    collectionLine.lastIndex = 0;
    const pausesMs = [...readPart(this.#file, from).matchAll(collectionLine)]
      .filter(([, heap]) => heap === this.#heap)
      .map(([, , pauseMs]) => Number(pauseMs));
    return { totalMs: pausesMs.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(0, ...pausesMs) };
  }
}

function readPart(file: string, from: number, most = Number.POSITIVE_INFINITY): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(most, Math.max(0, statSync(file).size - from)));
    readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes.toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}
