/** Requests and set-ups to copy for one key, in a model that it may use. */
import type { CatalogueSnapshot } from '../../../catalogue/index.ts';
import type { ApiKey } from '../../../identity/index.ts';
import { isAllowed, type Terms } from '../../../routing/index.ts';
import { type Aim, claudeCodeSample, codexSamples, openAiSamples } from '../../public/samples.ts';
import type { Sample } from '../../ui/code.tsx';

interface Locks {
  readonly key: Pick<ApiKey, 'allowedModels'>;
  readonly terms: Terms;
}

/** The first chat model that the locks leave, with a price unless nobody pays; undefined where there is none. */
export function modelForKey(
  { models }: CatalogueSnapshot,
  { key: { allowedModels }, terms }: Locks,
  isExempt: boolean,
): string | undefined {
  const found = models.find(
    ({ publicId, type, prices, deployments }) =>
      type === 'chat' &&
      (prices !== null || isExempt) &&
      allowedModels?.includes(publicId) !== false &&
      isAllowed({ deployments }, terms),
  );
  return found?.publicId;
}

/** What stands for a token that is not known any more. */
export const placeholder = 'sluice_…';

/** @param environment where a program finds the token, in the reader's words. */
export function keySamples(
  { token, ...aim }: Aim & { readonly token: string },
  environment: string,
): readonly [Sample, ...Sample[]] {
  const [curl, ...programs] = openAiSamples(aim);
  const [codex] = codexSamples(aim);
  const inShell = ({ name, code }: Sample): Sample => ({
    name,
    code: `export SLUICE_TOKEN=${token}\n\n${code}`,
  });
  return [
    inShell(curl),
    ...programs.map(({ name, code }) => {
      const comment = code.startsWith('#') ? '#' : '//';
      return { name, code: `${comment} SLUICE_TOKEN=${token} ${environment}\n${code}` };
    }),
    inShell(claudeCodeSample(aim)),
    { name: 'Codex', code: `# export SLUICE_TOKEN=${token}\n# ${codex.name}\n${codex.code}` },
  ];
}
