/** Who failed in a request, so that others who would be told the same are not asked before all else. */
import type { Candidate } from './candidates.ts';
import type { UpstreamFailure } from './failure.ts';

export class FailedAlike {
  /** Of deployments and providers. */
  readonly #names: string[] = [];
  /** Of deployments where further credentials would be tried in vain. */
  readonly #vain: string[] = [];

  /** Another credential would be told the same by the same provider. */
  add({ names }: Candidate, { blamed, isSilent, isAlike }: UpstreamFailure): void {
    if (isAlike === true) {
      this.#names.push(names.deployment);
      this.#vain.push(names.deployment);
      return;
    }
    if (blamed !== 'provider' && blamed !== 'deployment') return;
    this.#names.push(names[blamed]);
    if (blamed === 'provider' || isSilent === true) this.#vain.push(names.deployment);
  }

  has({ names }: Candidate): boolean {
    return this.#names.includes(names.deployment) || this.#names.includes(names.provider);
  }

  isVain({ names }: Candidate): boolean {
    return this.#vain.includes(names.deployment);
  }
}
