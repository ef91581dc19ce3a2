/**
 * How long `/health` takes, and how much of that is the program's own. On a machine with other work a program waits for
 * a core, and so does whoever asks it. So an idle program is asked at the same moment, by the same asker; and the kernel
 * says how long the program's main thread was ready and had no core.
 */
import type { SluiceProgram } from '../support/program.ts';

export interface HealthReport {
  readonly asked: number;
  /** As it was heard. */
  readonly heard: Spread;
  /** Of an idle program, asked at the same moments. */
  readonly idle: Spread;
  /** What was heard, less what the idle program took at that moment, and less the wait for a core. */
  readonly own: Spread;
}

export interface Spread {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface HealthSample {
  readonly isWell: boolean;
  readonly heardMs: number;
  readonly idleMs: number;
  readonly waitedMs: number;
}

const idleProgram =
  'console.log(Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") }).port)';

export class HealthWatch {
  readonly #program: SluiceProgram;
  readonly #idle: Bun.Subprocess;
  readonly #idleUrl: string;
  readonly #samples: HealthSample[] = [];

  private constructor(program: SluiceProgram, idle: Bun.Subprocess, idleUrl: string) {
    this.#program = program;
    this.#idle = idle;
    this.#idleUrl = idleUrl;
  }

  static async open(program: SluiceProgram): Promise<HealthWatch> {
    const idle = Bun.spawn([process.execPath, '--no-orphans', '-e', idleProgram], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const { value } = await idle.stdout.getReader().read();
    return new HealthWatch(program, idle, `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/`);
  }

  async ask(): Promise<HealthSample> {
    const before = this.#program.readCost().waitedMs;
    const [health, idle] = await Promise.all([timed(`${this.#program.url}/health`), timed(this.#idleUrl)]);
    const sample = {
      isWell: health.isWell,
      heardMs: health.tookMs,
      idleMs: idle.tookMs,
      waitedMs: this.#program.readCost().waitedMs - before,
    };
    this.#samples.push(sample);
    return sample;
  }

  stop(): void {
    this.#idle.kill();
  }

  report(): HealthReport {
    return reportHealth(this.#samples);
  }
}

export function reportHealth(samples: readonly HealthSample[]): HealthReport {
  return {
    asked: samples.length,
    heard: spreadOf(samples.map(({ heardMs }) => heardMs)),
    idle: spreadOf(samples.map(({ idleMs }) => idleMs)),
    own: spreadOf(samples.map(({ heardMs, idleMs, waitedMs }) => Math.max(0, heardMs - idleMs - waitedMs))),
  };
}

async function timed(url: string): Promise<{ isWell: boolean; tookMs: number }> {
  const startMs = performance.now();
  const isWell = await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
  return { isWell, tookMs: performance.now() - startMs };
}

function spreadOf(timesMs: readonly number[]): Spread {
  const sorted = timesMs.toSorted((one, other) => one - other);
  return {
    p50Ms: sorted[sorted.length >> 1] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    maxMs: sorted.at(-1) ?? 0,
  };
}
