/** Looks into a contender that runs on Bun: turns of its event loop, pauses of its collector, objects it makes. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const script = join(import.meta.dirname, 'preload.ts');

export class Probe {
  /** Short, because the address of a unix socket has little room. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-probe-'));

  /** For the program that is looked into; what it starts inherits it. */
  get environment(): Readonly<Record<string, string>> {
    return { BUN_OPTIONS: `--preload ${script}`, BUN_JSC_logGC: '1', SLUICE_BENCH_PROBE: this.#folder };
  }

  /** The longest turn of the event loop, to about a millisecond, while `work` goes on. */
  async watchTurns<Result>(work: () => Promise<Result>): Promise<{ result: Result; longestTurnMs: number }> {
    await this.#ask('/turns/begin');
    const result = await work();
    return { result, longestTurnMs: Math.max(...(await this.#ask('/turns/end'))) };
  }

  /** How many objects `work` makes; too few when some are collected meanwhile, too many when other work goes on. */
  async countObjects(work: () => Promise<unknown>): Promise<number> {
    const before = sumOf(await this.#ask('/objects/collect'));
    await work();
    return sumOf(await this.#ask('/objects')) - before;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Every process of the program answers. */
  async #ask(path: string): Promise<number[]> {
    const sockets = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    return await Promise.all(
      sockets.map(async (unix) =>
        z.number().parse(await (await fetch(`http://probe${path}`, { unix })).json()),
      ),
    );
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
