/** Tries all orders in which things can happen: each run is made anew, and takes one other turn than those before. */
import { letGoOn } from './statement-wire.ts';

export interface Explored {
  /** What can happen next; the first is what usually does. None when all is over. */
  actions(): readonly Action[];
  /** After each action. @throws what is wrong. */
  check(): void;
  /** When nothing more can happen. @throws what is wrong. */
  finish(): Promise<void>;
}

export interface Action {
  /** Asked for only when a run goes wrong: of thousands of runs, few names are read. */
  name(): string;
  perform(): void | Promise<void>;
}

export interface Exploring {
  /** How often a run may do something else than the usual; all that can be done when not given. */
  readonly deviations?: number;
  /** Runs, after which it gives up. */
  readonly most: number;
}

/**
 * @returns how many runs there were, and the first that went wrong.
 * @throws RangeError when there are more than `most`.
 */
export async function explore(
  make: () => Explored | Promise<Explored>,
  { deviations = Number.POSITIVE_INFINITY, most }: Exploring,
): Promise<{ readonly runs: number; readonly failure?: string }> {
  let chosen: number[] = [];
  for (let runs = 1; ; runs += 1) {
    if (runs > most) throw new RangeError(`there are more than ${most} orders`);
    const { counts, performed, error } = await runOnce(await make(), chosen);
    if (error !== undefined) return { runs, failure: describe(performed, error) };
    const next = nextChoice(counts, deviations);
    if (next === undefined) return { runs };
    chosen = next;
  }
}

interface Turn {
  readonly of: number;
  readonly taken: number;
}

interface Run {
  readonly counts: readonly Turn[];
  readonly performed: readonly Action[];
  readonly error?: unknown;
}

async function runOnce(world: Explored, chosen: readonly number[]): Promise<Run> {
  const counts: Turn[] = [];
  const performed: Action[] = [];
  try {
    for (;;) {
      await letGoOn();
      // Up to its last chosen turn, an earlier run came through the same and was checked.
      if (counts.length >= chosen.length) world.check();
      const actions = world.actions();
      if (actions.length === 0) break;
      const taken = chosen[counts.length] ?? 0;
      const action = actions[taken];
      if (action === undefined)
        throw new Error('the run before had more to choose from: it is not the same world');
      counts.push({ of: actions.length, taken });
      performed.push(action);
      await action.perform();
    }
    await world.finish();
    return { counts, performed };
  } catch (error) {
    return { counts, performed, error };
  }
}

/** The last turn that can be another takes the next action; undefined when all have been taken. */
function nextChoice(turns: readonly Turn[], deviations: number): number[] | undefined {
  const taken = turns.map((turn) => turn.taken);
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    const turn = turns[at];
    if (turn === undefined || turn.taken + 1 >= turn.of) continue;
    const before = taken.slice(0, at);
    if (before.filter((each) => each > 0).length >= deviations) continue;
    return [...before, turn.taken + 1];
  }
  return undefined;
}

const describe = (performed: readonly Action[], error: unknown): string =>
  [
    ...performed.map((action) => action.name()),
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  ].join('\n');
