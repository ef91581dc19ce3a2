/** `sluice migrate`: for deployments that change the database before they start the new version. */
import { openStorage } from '../../storage/index.ts';
import { requireEnvironment, storageOptions } from '../environment.ts';
import { type OutputOptions, printJson, printLines, warnOnError } from './output.ts';

export async function migrate(
  variables: Readonly<Record<string, string | undefined>>,
  { json }: OutputOptions,
): Promise<void> {
  const environment = requireEnvironment(variables);
  const storage = await openStorage({ ...storageOptions(environment), onWarning: warnOnError });
  try {
    const report = await storage.migrate();
    if (json) printJson({ database: storage.describe(), ...report });
    else if (report.applied.length === 0) printLines([`${storage.describe()} is up to date.`]);
    else printLines([`${storage.describe()}: applied ${report.applied.join(', ')}.`]);
  } finally {
    await storage.close();
  }
}
