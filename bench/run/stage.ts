/** A contender on stage: started with an upstream of its own, and balanced against it when it leaves. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Reconciliation, reconcile } from '../books/reconcile.ts';
import type { Contender, RunningContender } from '../contenders/contender.ts';
import type { Programs } from '../programs/programs.ts';
import { type RunningUpstream, startUpstream, type UpstreamDelays } from '../programs/upstream.ts';

export interface Stage {
  readonly contender: Contender;
  readonly running: RunningContender;
  /** Stops the contender in good order. @returns its books against the upstream's counts, if it keeps any. */
  leave(): Promise<Reconciliation | null>;
}

export interface StageSetting extends UpstreamDelays {
  readonly programs: Programs;
  readonly folder: string;
  /** Tells the appearances of one contender apart. */
  readonly act: string;
}

export async function enter(contender: Contender, setting: StageSetting): Promise<Stage> {
  const { programs, act, chunkDelayMs, headerDelayMs = 0 } = setting;
  const name = `${contender.name}-${act}`;
  const folder = join(setting.folder, name);
  mkdirSync(folder);
  const upstream = await startUpstream(programs, { name, chunkDelayMs, headerDelayMs });
  const running = await contender.start({ programs, folder, upstreamPort: upstream.port });
  return {
    contender,
    running,
    async leave() {
      await running.stop();
      const result = await balance(`${contender.title}, ${act}`, running, upstream);
      await upstream.stop();
      return result;
    },
  };
}

async function balance(
  title: string,
  { readBooks }: RunningContender,
  upstream: RunningUpstream,
): Promise<Reconciliation | null> {
  if (readBooks === undefined) return null;
  const [books, counts] = await Promise.all([readBooks(), upstream.readCounts()]);
  return books === null
    ? { title, books, upstream: counts, complaints: [] }
    : reconcile(title, books, counts);
}
