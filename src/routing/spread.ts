/**
 * How requests spread over a provider's credentials: what each may be asked, which of them is next, and how often one
 * that has just failed is asked again.
 */
import type { Clock } from '../base/clock.ts';
import type { Credential } from '../catalogue/index.ts';
import type { Candidate } from './candidates.ts';
import type { Health } from './health.ts';

const minuteMs = 60_000;

/** When the last requests went out, so many as a minute may have. */
class LastMinute {
  readonly #times: Float64Array;
  #at = 0;

  constructor(most: number, before: LastMinute | undefined, nowMs: number) {
    this.#times = new Float64Array(most).fill(Number.NEGATIVE_INFINITY);
    for (const timeMs of before?.newest(most, nowMs) ?? []) this.add(timeMs);
  }

  get most(): number {
    return this.#times.length;
  }

  /** @returns 0 where there is room. */
  waitMs(nowMs: number): number {
    return Math.max(0, (this.#times[this.#at] ?? 0) + minuteMs - nowMs);
  }

  add(nowMs: number): void {
    this.#times[this.#at] = nowMs;
    this.#at = (this.#at + 1) % this.#times.length;
  }

  /** Of the last minute, the oldest of them first. */
  newest(most: number, nowMs: number): readonly number[] {
    const inOrder = [...this.#times.subarray(this.#at), ...this.#times.subarray(0, this.#at)];
    return inOrder.filter((timeMs) => timeMs > nowMs - minuteMs).slice(-most);
  }
}

/**
 * What each credential may be asked: requests at once and requests a minute, as its settings say. A process lets its
 * share through: with a shared Redis the limit divided by the processes there are, at least one.
 */
export class CredentialLimits {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #readProcesses: () => number;
  /** By the credential's id, of those that have a limit a minute. */
  readonly #minutes = new Map<number, LastMinute>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, readProcesses: () => number) {
    this.#clock = clock;
    this.#readProcesses = readProcesses;
  }

  /** @returns until it may be asked again; 0 where it may be now, infinite where nobody knows, as too many are under way. */
  waitMs({ id, maxConcurrent, requestsPerMinute }: Credential, underWay: number): number {
    if (maxConcurrent != null && underWay >= this.#shareOf(maxConcurrent)) return Number.POSITIVE_INFINITY;
    if (requestsPerMinute == null) return 0;
    return this.#minuteOf(id, requestsPerMinute).waitMs(this.#clock.monotonicMs());
  }

  /** @param pauseMs after which it is asked. */
  asked({ id, requestsPerMinute }: Credential, pauseMs: number): void {
    if (requestsPerMinute == null) return;
    this.#minuteOf(id, requestsPerMinute).add(this.#clock.monotonicMs() + pauseMs);
  }

  #minuteOf(id: number, requestsPerMinute: number): LastMinute {
    const most = this.#shareOf(requestsPerMinute);
    const known = this.#minutes.get(id);
    if (known?.most === most) return known;
    const minute = new LastMinute(most, known, this.#clock.monotonicMs());
    this.#minutes.set(id, minute);
    return minute;
  }

  #shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#readProcesses()));
  }
}

const isLimited = (credential: Credential | null): credential is Credential =>
  credential !== null && (credential.maxConcurrent != null || credential.requestsPerMinute != null);

interface Load {
  underWay: number;
  /** Of the turns that it is owed. */
  turns: number;
}

/** Which of a provider's credentials is next: the one with the fewest requests under way, and each in its turn. */
export class Spread {
  readonly #health: Health;
  readonly #limits: CredentialLimits;
  /** By the credential's id. A credential that was removed leaves two numbers. */
  readonly #loads = new Map<number, Load>();

  constructor(health: Health, limits: CredentialLimits) {
    this.#health = health;
    this.#limits = limits;
  }

  /** A request goes out with it. @param pauseMs after which it does. */
  began({ pool, credential }: Candidate, pauseMs: number): void {
    if (credential === null || (pool === null && !isLimited(credential))) return;
    this.#loadOf(credential.id).underWay += 1;
    this.#limits.asked(credential, pauseMs);
  }

  ended({ pool, credential }: Candidate): void {
    if (credential === null || (pool === null && !isLimited(credential))) return;
    this.#loadOf(credential.id).underWay -= 1;
  }

  /** Until its limits let it be asked again; 0 where they do now, infinite where nobody knows. */
  waitMs({ credential }: Candidate): number {
    return isLimited(credential) ? this.#limits.waitMs(credential, this.underWayOf(credential.id)) : 0;
  }

  /**
   * Candidates in order of preference, with those of one pool in the order in which its turn is.
   * @param isDry only to tell: the turn stays where it is.
   */
  arrange(candidates: readonly Candidate[], isDry = false): readonly Candidate[] {
    if (candidates.every(({ pool }) => pool === null)) return candidates;
    const arranged: Candidate[] = [];
    for (let at = 0; at < candidates.length; ) {
      const candidate = candidates[at];
      if (candidate === undefined) break;
      let end = at + 1;
      while (candidate.pool !== null && candidates[end]?.pool === candidate.pool) end += 1;
      // A request can be held to some of a pool.
      const pool = candidate.pool?.length === end - at ? candidate.pool : candidates.slice(at, end);
      const first = pool.length === 1 ? 0 : this.#turnOf(pool, isDry);
      for (let ahead = 0; ahead < pool.length; ahead += 1) {
        const member = pool[(first + ahead) % pool.length];
        if (member !== undefined) arranged.push(member);
      }
      at += pool.length;
    }
    return arranged;
  }

  /** Where it begins. Those that cannot be asked now have no turn, so that their neighbour does not get theirs. */
  #turnOf(pool: readonly Candidate[], isDry: boolean): number {
    const isAsked = (candidate: Candidate) => {
      const condition = this.#health.troubleOf(candidate)?.condition;
      return condition !== 'open' && condition !== 'probing' && this.waitMs(candidate) === 0;
    };
    const isSimple = this.#health.isAllSound && !pool.some((member) => isLimited(member.credential));
    const sound = isSimple ? pool : pool.filter(isAsked);
    let fewest = Number.POSITIVE_INFINITY;
    for (const candidate of sound) fewest = Math.min(fewest, this.underWayOf(candidate.credential?.id ?? 0));
    let next: Candidate | undefined;
    let nextLoad: Load | undefined;
    let sharing = 0;
    for (const candidate of sound) {
      if (this.underWayOf(candidate.credential?.id ?? 0) > fewest) continue;
      const load = this.#loadOf(candidate.credential?.id ?? 0);
      sharing += 1;
      if (!isDry) load.turns += 1;
      if (nextLoad !== undefined && nextLoad.turns >= load.turns) continue;
      nextLoad = load;
      next = candidate;
    }
    if (next === undefined || nextLoad === undefined) return 0;
    if (!isDry) nextLoad.turns -= sharing;
    return pool.indexOf(next);
  }

  /** Requests of this process. */
  underWayOf(credentialId: number): number {
    return this.#loads.get(credentialId)?.underWay ?? 0;
  }

  #loadOf(id: number): Load {
    const known = this.#loads.get(id);
    if (known !== undefined) return known;
    const load = { underWay: 0, turns: 0 };
    this.#loads.set(id, load);
    return load;
  }
}

const shareOfRequests = 0.2;
const perSecond = 10;
const mostTries = 100;

/**
 * How many further tries all requests together may make at a provider that has just failed: a share of the requests,
 * and a few a second. Without it, who is overloaded would get several times the load when it can bear it least. Going on
 * to a provider that is sound takes nothing of it.
 */
export class RetryBudget {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #left = mostTries;
  #filledAtMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#filledAtMs = clock.monotonicMs();
  }

  /** As it was when somebody last took of it, and for requests since. */
  get left(): number {
    return this.#left;
  }

  /** A request begins. */
  deposit(): void {
    this.#left = Math.min(mostTries, this.#left + shareOfRequests);
  }

  /** @returns whether one more try may be made. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#left = Math.min(mostTries, this.#left + ((nowMs - this.#filledAtMs) / 1000) * perSecond);
    this.#filledAtMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
