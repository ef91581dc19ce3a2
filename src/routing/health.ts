/**
 * Who is known not to work at the moment: a circuit for each provider, deployment, credential and account that failed
 * lately, none for those that are sound. README.md says what opens one and what closes it.
 */
import type { Clock } from '../base/clock.ts';
import type { AppError } from '../base/errors.ts';
import type { Candidate } from './candidates.ts';
import {
  type Circuit,
  type CircuitState,
  type Condition,
  errorOf,
  forgetProbes,
  isForgotten,
  longestProbeMs,
  negligibleScore,
  newCircuit,
  nothingProbed,
  openingMs,
  opensAtScore,
  type Probe,
  scoreAt,
  severity,
  silentScore,
  stateOf,
  type Trouble,
} from './circuit.ts';
import type { UpstreamFailure } from './failure.ts';
import {
  cooldownEvent,
  exhaustedEvent,
  failedEvent,
  type PoolEventSource,
  recoveredEvent,
  type TellPoolEvent,
} from './pool-events.ts';

const longestToldMs = 7 * 86_400_000;
/** How long who has recovered is spared a part of the traffic. */
const slowStartMs = 10_000;
const leastShare = 0.1;
const manyCircuits = 1000;

export interface HealthParts {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Off remembers nothing. */
  readonly isOn?: boolean;
  /** A circuit opened, or closed after it was open. */
  readonly onChange?: (name: string, state: CircuitState) => void;
  readonly onEvent?: TellPoolEvent;
}

/** As much of a failure as is remembered. */
export type Failing = Pick<UpstreamFailure, 'blamed' | 'toldMs' | 'isSilent'> & {
  readonly error: AppError | null;
  /** In the course of what; a client's request where it is not said. */
  readonly source?: PoolEventSource;
};

/** What an answer tells. */
interface Seen {
  /** Of whom alone, where it says nothing of the others. */
  readonly only?: Circuit['blamed'];
  readonly source?: PoolEventSource;
}

const blamable = ['provider', 'deployment', 'credential', 'account'] as const;

export class Health {
  readonly #parts: HealthParts;
  readonly #circuits = new Map<string, Circuit>();
  readonly #startsAtMs: number;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#startsAtMs = parts.clock.nowMs() - parts.clock.monotonicMs();
  }

  /** By which all times here are told. A date that is put back must not keep open for hours what was to be for seconds. */
  get nowMs(): number {
    return this.#startsAtMs + this.#parts.clock.monotonicMs();
  }

  /** The usual case: there is nothing to look up. */
  get isAllSound(): boolean {
    return this.#circuits.size === 0;
  }

  /** The worst that is known against a candidate; null where nothing is. */
  troubleOf({ names }: Candidate): Trouble | null {
    if (this.isAllSound) return null;
    const { nowMs } = this;
    let worst: Trouble | null = null;
    for (const blamed of blamable) {
      const circuit = this.#circuits.get(names[blamed]);
      if (circuit === undefined) continue;
      const condition = this.#conditionOf(names[blamed], circuit, nowMs);
      if (condition === 'sound' || severity[condition] <= severity[worst?.condition ?? 'sound']) continue;
      const { openUntilMs, error, isTold, isSilent } = circuit;
      // Once the time is over that an upstream named, it may well serve again, whether or not a probe has said so.
      const isHopeless = condition === 'open' ? isTold || isSilent : condition === 'probing' && isSilent;
      worst = { condition, blamed, openUntilMs, isHopeless, error };
    }
    return worst;
  }

  /** Marks the circuits whose time is over as probed by one request, which is asked after it: what was before tells nothing. */
  probe({ names }: Candidate): Probe {
    if (this.isAllSound) return nothingProbed;
    const { nowMs } = this;
    const probed: string[] = [];
    for (const blamed of blamable) {
      const circuit = this.#circuits.get(names[blamed]);
      if (circuit === undefined || circuit.openUntilMs === 0 || circuit.probedAtMs > 0) continue;
      if (circuit.openUntilMs > nowMs) continue;
      circuit.probedAtMs = nowMs;
      if (circuit.firstProbedAtMs === 0) circuit.firstProbedAtMs = nowMs;
      probed.push(names[blamed]);
    }
    return { names: probed, atMs: nowMs };
  }

  /** A probe told nothing: its client left, or it was never asked. One that began after it goes on. */
  unprobe({ names, atMs }: Probe): void {
    for (const name of names) {
      const circuit = this.#circuits.get(name);
      if (circuit?.probedAtMs === atMs) circuit.probedAtMs = 0;
    }
  }

  /** It shows its first content. @param askedAtMs answers to what was asked before a circuit opened say nothing of now. */
  answered(candidate: Candidate, askedAtMs: number, { only, source = 'request' }: Seen = asUsual): void {
    if (this.isAllSound) return;
    const { nowMs } = this;
    for (const blamed of blamable) {
      const name = candidate.names[blamed];
      const circuit = this.#circuits.get(name);
      if (circuit === undefined || circuit.openUntilMs === 0 || askedAtMs < circuit.openedAtMs) continue;
      if (only !== undefined && only !== blamed) continue;
      this.#close(name, circuit, nowMs);
      this.#parts.onEvent?.({ ...recoveredEvent(candidate, blamed), source });
    }
  }

  /** Its answer is whole. */
  completed({ names }: Candidate): void {
    if (this.isAllSound) return;
    const { nowMs } = this;
    for (const blamed of blamable) {
      const circuit = this.#circuits.get(names[blamed]);
      if (circuit === undefined || circuit.openUntilMs > 0 || circuit.recoveredAtMs > 0) continue;
      circuit.score = scoreAt(circuit, nowMs) / 2;
      circuit.scoredAtMs = nowMs;
      if (circuit.score < negligibleScore) this.#circuits.delete(names[blamed]);
    }
  }

  failed(candidate: Candidate, failure: Failing, askedAtMs: number): void {
    const { blamed, error, source = 'request', toldMs = null } = failure;
    if (blamed === 'nobody' || this.#parts.isOn === false) return;
    const { nowMs } = this;
    const name = candidate.names[blamed];
    const circuit = this.#circuits.get(name) ?? this.#addCircuit(name, blamed, nowMs);
    circuit.error = error;
    const event = failedEvent(candidate, failure);
    if (event !== null) this.#parts.onEvent?.({ ...event, source });
    // Others that were under way when it opened, and failed as it did, tell nothing new; nor do they end a probe.
    const isOld =
      circuit.openUntilMs > 0 && askedAtMs < Math.max(circuit.openedAtMs, circuit.firstProbedAtMs);
    if (isOld && circuit.probedAtMs > 0) return;
    circuit.isSilent = failure.isSilent === true;
    if (toldMs !== null) {
      this.#open(name, circuit, { nowMs, toldMs: Math.min(toldMs, longestToldMs), isOld });
      this.#tellOpened(candidate, circuit, source);
      return;
    }
    if (isOld) return;
    circuit.score = scoreAt(circuit, nowMs) + (circuit.isSilent ? silentScore : 1);
    circuit.scoredAtMs = nowMs;
    const opensAtOnce = blamed === 'credential' || blamed === 'account';
    const isStillOpen = circuit.openUntilMs > 0 || circuit.recoveredAtMs > 0;
    if (!opensAtOnce && !isStillOpen && circuit.score < opensAtScore) return;
    this.#open(name, circuit, { nowMs, toldMs: null, isOld });
    this.#tellOpened(candidate, circuit, source);
  }

  #tellOpened(candidate: Candidate, circuit: Circuit, source: PoolEventSource): void {
    const { onEvent } = this.#parts;
    if (onEvent === undefined) return;
    const { nowMs } = this;
    onEvent({ ...cooldownEvent(candidate, stateOf(circuit), nowMs), source });
    let firstMs = Number.POSITIVE_INFINITY;
    for (const member of candidate.pool ?? [candidate]) {
      const trouble = this.troubleOf(member);
      if (trouble === null || severity[trouble.condition] < severity.probing) return;
      firstMs = Math.min(firstMs, trouble.openUntilMs);
    }
    onEvent({ ...exhaustedEvent(candidate, firstMs - nowMs), source });
  }

  /** Another process has seen it: what it says holds where it says more than what is known here. */
  learn(name: string, state: CircuitState): void {
    if (this.#parts.isOn === false) return;
    const { nowMs } = this;
    const known = this.#circuits.get(name);
    if (state.openUntilMs === 0) {
      if (known !== undefined && known.openUntilMs > 0) this.#recover(name, known, nowMs);
      return;
    }
    if (state.openUntilMs <= nowMs || (known !== undefined && known.openUntilMs >= state.openUntilMs)) return;
    const circuit = known ?? this.#addCircuit(name, state.blamed, nowMs);
    const { openings, isTold, isSilent } = state;
    const openUntilMs = Math.min(state.openUntilMs, nowMs + longestToldMs);
    Object.assign(circuit, { openUntilMs, openings, isTold, isSilent, openedAtMs: nowMs, recoveredAtMs: 0 });
    forgetProbes(circuit);
    circuit.error = errorOf(state);
  }

  /** All that is open or recovering, for pages and metrics. */
  *circuits(): Iterable<readonly [string, CircuitState]> {
    this.#forget(this.nowMs);
    for (const [name, circuit] of this.#circuits) if (circuit.openUntilMs > 0) yield [name, stateOf(circuit)];
  }

  /** Whether who has recovered only a moment ago gets this request in its place. */
  takesShare({ names }: Candidate): boolean {
    const { nowMs } = this;
    const recovered = blamable.map((blamed) => this.#circuits.get(names[blamed])?.recoveredAtMs ?? 0);
    const elapsedMs = nowMs - Math.max(...recovered);
    return this.#parts.random() < Math.max(leastShare, elapsedMs / slowStartMs);
  }

  #addCircuit(name: string, blamed: Circuit['blamed'], nowMs: number): Circuit {
    if (this.#circuits.size >= manyCircuits) this.#forget(nowMs);
    const circuit = newCircuit(blamed, nowMs);
    this.#circuits.set(name, circuit);
    return circuit;
  }

  /** Nobody asks any more about what has left the catalogue, such as a secret that was replaced. */
  #forget(nowMs: number): void {
    for (const [name, circuit] of this.#circuits) {
      if (isForgotten(circuit, nowMs)) this.#circuits.delete(name);
      // Who asks for its condition forgets it where it is sound.
      else this.#conditionOf(name, circuit, nowMs);
    }
  }

  #conditionOf(name: string, circuit: Circuit, nowMs: number): Condition {
    if (circuit.openUntilMs > nowMs) return 'open';
    if (circuit.openUntilMs > 0) {
      if (circuit.probedAtMs > 0 && nowMs - circuit.probedAtMs < longestProbeMs(circuit)) return 'probing';
      circuit.probedAtMs = 0;
      return 'due';
    }
    if (circuit.recoveredAtMs > 0 && nowMs - circuit.recoveredAtMs < slowStartMs) return 'recovering';
    if (circuit.recoveredAtMs > 0 || scoreAt(circuit, nowMs) < negligibleScore) this.#circuits.delete(name);
    return 'sound';
  }

  /** @param isOld the failure tells only until when: what is already open opens no second time by it. */
  #open(
    name: string,
    circuit: Circuit,
    { nowMs, toldMs, isOld }: { nowMs: number; toldMs: number | null; isOld: boolean },
  ): void {
    // Spread, so that processes and credentials do not come back all at once.
    const openMs = toldMs ?? openingMs(circuit) * (0.75 + this.#parts.random() / 2);
    if (!isOld) circuit.openings += 1;
    circuit.openedAtMs = nowMs;
    circuit.openUntilMs = Math.max(toldMs === null ? 0 : circuit.openUntilMs, nowMs + openMs);
    circuit.isTold = toldMs !== null;
    forgetProbes(circuit);
    circuit.recoveredAtMs = 0;
    this.#parts.onChange?.(name, stateOf(circuit));
  }

  #close(name: string, circuit: Circuit, nowMs: number): void {
    this.#recover(name, circuit, nowMs);
    this.#parts.onChange?.(name, stateOf(circuit));
  }

  /** Who was overloaded is asked more and more; a key that is taken again is as good as before. */
  #recover(name: string, circuit: Circuit, nowMs: number): void {
    circuit.openUntilMs = 0;
    forgetProbes(circuit);
    circuit.score = 0;
    circuit.recoveredAtMs = nowMs;
    if (circuit.blamed === 'credential') this.#circuits.delete(name);
  }
}

const asUsual: Seen = {};
