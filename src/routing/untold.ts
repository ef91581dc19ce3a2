/** What others are still to be told, and how it is told: behind the requests, as much as goes at once. */
import { ofStates } from './affinity.ts';
import type { CircuitState } from './circuit.ts';
import type { SharingLink } from './sharing-link.ts';
import { keepStatesScript, mostStates, type namesIn, tellScript } from './sharing-scripts.ts';
import { writeTold } from './told-circuit.ts';

const sessionLifetimeMs = 7 * 86_400_000;
const mostUntold = 10_000;
const mostAtOnce = 500;

type Told<Value> = readonly (readonly [name: string, value: Value])[];

/** Where it is told, and by whom. */
export interface Telling {
  readonly link: SharingLink;
  readonly names: ReturnType<typeof namesIn>;
  readonly process: string;
  readonly nowMs: number;
  readonly withinMs: number;
}

export class Untold {
  readonly circuits = new Newest<CircuitState>();
  /** By the hash of the conversation: the account that answered it. */
  readonly sessions = new Newest<string>();
  /** By what an upstream holds: who holds it. */
  readonly states = new Newest<string>();

  get size(): number {
    return this.circuits.size + this.sessions.size + this.states.size;
  }

  /** As much as goes at once. What did not come through is told again. @throws what the connection does. */
  async tell({ link, names, process, nowMs, withinMs }: Telling): Promise<void> {
    const circuits = this.circuits.take();
    const sessions = this.sessions.take();
    const states = this.states.take();
    const telling = sessions.map(([session, account]) => {
      const args = [names.session(session), account, 'PX', String(sessionLifetimeMs)];
      return link.send('SET', args, withinMs);
    });
    const told = circuits.flatMap(([name, state]) => writeTold(name, state, nowMs));
    if (told.length > 0) {
      const args = [tellScript, '1', names.circuits, names.told, process, ...told];
      telling.push(link.send('EVAL', args, withinMs));
    }
    if (states.length > 0) {
      const bounds = [String(ofStates.lifetimeMs), String(mostStates)];
      const args = [keepStatesScript, '2', names.states, names.ages, ...bounds];
      telling.push(link.send('EVAL', [...args, ...states.flat()], withinMs));
    }
    const replies = await Promise.allSettled(telling);
    const failed = replies.find((reply) => reply.status === 'rejected');
    if (failed === undefined) return;
    this.circuits.putBack(circuits);
    this.sessions.putBack(sessions);
    this.states.putBack(states);
    throw failed.reason;
  }
}

/** Of each the newest; of more than there is room for the oldest are forgotten. */
class Newest<Value> {
  readonly #values = new Map<string, Value>();

  get size(): number {
    return this.#values.size;
  }

  add(name: string, value: Value): void {
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size <= mostUntold) return;
    const oldest = this.#values.keys().next();
    if (oldest.done !== true) this.#values.delete(oldest.value);
  }

  /** As many as are told at once. */
  take(): Told<Value> {
    const taken = [...this.#values.entries().take(mostAtOnce)];
    for (const [name] of taken) this.#values.delete(name);
    return taken;
  }

  /** What is newer stays. */
  putBack(taken: Told<Value>): void {
    for (const [name, value] of taken) if (!this.#values.has(name)) this.add(name, value);
  }
}
