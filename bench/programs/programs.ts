/** The programs that a run starts, and their certain end. */
import { openSync } from 'node:fs';
import { join } from 'node:path';

export interface Program {
  readonly pid: number;
  /** What it printed, for a person who wants to know why it failed. */
  readonly logFile: string;
  readonly hasEnded: boolean;
  stop(): Promise<void>;
}

export interface ProgramStart {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const patienceMs = 15_000;

export class Programs {
  readonly #folder: string;
  readonly #running = new Set<Bun.Subprocess>();
  #isOver = false;

  /** @param folder takes the log files. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  start({ name, command, environment = {} }: ProgramStart): Program {
    const logFile = join(this.#folder, `${name}.log`);
    const output = openSync(logFile, 'a');
    const child = this.#spawn(command, { environment, output });
    return {
      pid: child.pid,
      logFile,
      get hasEnded() {
        return child.exitCode !== null || child.signalCode !== null;
      },
      stop: () => stop(child),
    };
  }

  /** Runs a program to its end and resolves to what it wrote. @throws Error when it fails. */
  async finish(command: readonly string[]): Promise<string> {
    const child = this.#spawn(command, { environment: {}, output: 'pipe' });
    const { stdout } = child;
    if (!(stdout instanceof ReadableStream)) throw new Error(`${command[0]} gave no output`);
    const [text, exitCode] = await Promise.all([new Response(stdout).text(), child.exited]);
    if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}: ${text}`);
    return text;
  }

  /** Nothing can be started any more; what runs is ended. */
  async stopAll(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#running].map(stop));
  }

  #spawn(
    command: readonly string[],
    { environment, output }: { environment: Readonly<Record<string, string>>; output: number | 'pipe' },
  ): Bun.Subprocess {
    if (this.#isOver) throw new Error('the bench is being stopped');
    const child = Bun.spawn([...command], {
      cwd: this.#folder,
      env: { ...process.env, ...environment },
      stdin: 'ignore',
      stdout: output,
      stderr: output === 'pipe' ? 'inherit' : output,
    });
    this.#running.add(child);
    void child.exited.then(() => this.#running.delete(child));
    return child;
  }
}

async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await child.exited;
  clearTimeout(killer);
}
