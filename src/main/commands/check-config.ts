/** `sluice config check`: what is wrong with the settings and the file, without starting anything. */

import { writeMistake } from '../../configuration/index.ts';
import { providerAdapters } from '../../providers/index.ts';
import { checkConfiguration } from '../configuration.ts';
import { type OutputOptions, printJson, printLines } from './output.ts';

export async function checkConfig(
  variables: Readonly<Record<string, string | undefined>>,
  { json }: OutputOptions,
): Promise<void> {
  const { mistakes, warnings } = await checkConfiguration(variables, providerAdapters);
  if (mistakes.length > 0) process.exitCode = 1;
  if (json) return printJson({ ok: mistakes.length === 0, mistakes, warnings });
  printLines([
    ...mistakes.map((mistake) => `mistake: ${writeMistake(mistake)}`),
    ...warnings.map((warning) => `warning: ${writeMistake(warning)}`),
    mistakes.length === 0 ? 'The configuration is sound.' : `${mistakes.length} to mend.`,
  ]);
}
