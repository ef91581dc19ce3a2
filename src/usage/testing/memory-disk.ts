/** A disk in memory that dies at the byte it is told to, or takes no more: what a crash leaves is what was written. */
import type { SpoolDisk } from '../spool/segment-log.ts';

export class MemoryDisk implements SpoolDisk {
  readonly files = new Map<string, string>();
  readonly #locked = new Set<string>();
  /** So many steps more, each a byte or a file taken away, then the process dies: nothing changes any more. */
  stepsToDeath = Number.POSITIVE_INFINITY;
  isDead = false;
  /** So many bytes more, then the disk is full. */
  room = Number.POSITIVE_INFINITY;

  /** Another process starts: the kernel let go of what the dead one held. */
  revive(): void {
    this.#locked.clear();
    this.stepsToDeath = Number.POSITIVE_INFINITY;
    this.isDead = false;
  }

  get bytes(): number {
    return [...this.files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  }

  makeFolder(): void {}

  list(path: string): readonly string[] {
    const inside = [...this.files.keys()].filter((each) => each.startsWith(`${path}/`));
    const names = inside.map((each) => each.slice(path.length + 1).split('/')[0] ?? '');
    return [...new Set(names)].sort();
  }

  rename(from: string, to: string): void {
    for (const [path, text] of [...this.files]) {
      if (!path.startsWith(`${from}/`)) continue;
      const moved = to + path.slice(from.length);
      this.files.delete(path);
      this.files.set(moved, text);
      if (this.#locked.delete(path)) this.#locked.add(moved);
    }
  }

  lock(path: string) {
    if (this.#locked.has(path)) return null;
    this.#locked.add(path);
    this.files.set(path, '');
    return {
      release: () => {
        if (!this.isDead) this.#locked.delete(path);
      },
    };
  }

  append(path: string) {
    this.files.set(path, this.files.get(path) ?? '');
    return {
      write: (bytes: Uint8Array, length: number) => this.#write(path, bytes.slice(0, length)),
      close: () => undefined,
    };
  }

  read(path: string): string {
    return this.files.get(path) ?? '';
  }

  remove(path: string): void {
    this.#live(1);
    this.files.delete(path);
  }

  removeFolder(): void {}

  #write(path: string, bytes: Uint8Array): number {
    const taken = Math.min(bytes.length, this.room);
    const written = this.#live(taken);
    this.files.set(path, this.read(path) + Buffer.from(bytes.subarray(0, written)).toString());
    if (this.isDead) throw new Error('the process is dead');
    this.room -= taken;
    if (taken === 0) throw new Error('no space left on device');
    return taken;
  }

  /** @returns how many of the steps are still made; of one that is not, nothing. */
  #live(steps: number): number {
    if (this.isDead) throw new Error('the process is dead');
    const made = Math.min(steps, this.stepsToDeath);
    this.stepsToDeath -= made;
    this.isDead = made < steps;
    if (this.isDead && steps === 1) throw new Error('the process is dead');
    return made;
  }
}
