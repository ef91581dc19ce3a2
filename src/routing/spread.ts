/** Which of a provider's credentials is next: the one with the fewest requests under way, and each in its turn. */
import type { Candidate } from './candidates.ts';
import { type CredentialLimits, isLimited } from './credential-limits.ts';
import type { Health } from './health.ts';

interface Load {
  underWay: number;
  /** Of the turns that it is owed. */
  turns: number;
}

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
