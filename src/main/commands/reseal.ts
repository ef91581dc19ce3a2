/**
 * `sluice credentials reseal`: after the service secret was changed, seals under the new one what the database holds
 * sealed under the one before. It may be interrupted and run again; what the new secret opens is left as it is.
 */
import { readFile } from 'node:fs/promises';
import { openEnvelope } from '../../base/envelope.ts';
import { AppError, describeThrown } from '../../base/errors.ts';
import { systemIds } from '../../base/ids.ts';
import { resealCredentials } from '../../catalogue/index.ts';
import { resealSecondFactors } from '../../identity/index.ts';
import { resealFormerWebhooks, resealMails, resealWebhooks } from '../../notifications/index.ts';
import { openStorage } from '../../storage/index.ts';
import { requireDatabase, requireEnvironment, storageOptions } from '../environment.ts';
import { loadSecret, shortestSecret } from '../secret.ts';
import { type OutputOptions, printJson, printLines, warnOnError } from './output.ts';

/** All that is sealed, each by the room that keeps it: a test compares it with the schema. */
const sealedParts = [
  { what: 'credentials of providers', reseal: resealCredentials },
  { what: 'mails that wait', reseal: resealMails },
  { what: 'second factors', reseal: resealSecondFactors },
  { what: 'secrets of webhooks', reseal: resealWebhooks },
  { what: 'former secrets of webhooks', reseal: resealFormerWebhooks },
] as const;

export async function reseal(
  variables: Readonly<Record<string, string | undefined>>,
  { json, previousSecretFile }: OutputOptions & { readonly previousSecretFile: string },
): Promise<void> {
  const environment = requireEnvironment(variables);
  requireDatabase(environment);
  const onWarning = (message: string) => printLines([message]);
  const present = await openEnvelope(await loadSecret(environment, { ids: systemIds, onWarning }));
  const previous = await openEnvelope(await readPrevious(previousSecretFile));
  const storage = await openStorage({ ...storageOptions(environment), onWarning: warnOnError });
  try {
    await storage.migrate();
    const counts = [];
    for (const part of sealedParts) {
      counts.push({ what: part.what, ...(await part.reseal(storage.db, { present, previous })) });
    }
    const isWhole = counts.every(({ unreadable }) => unreadable === 0);
    if (!isWhole) process.exitCode = 1;
    if (json) return printJson(counts);
    printLines(
      counts.map(
        ({ what, resealed, kept, unreadable }) =>
          `${what}: ${resealed} sealed anew, ${kept} were already, ${unreadable} open with neither secret.`,
      ),
    );
    if (!isWhole) printLines([unreadableLeft]);
  } finally {
    await storage.close();
  }
}

const unreadableLeft =
  'What opens with neither secret was left as it is. Repeat the command with the secret that it was sealed under, or set it anew.';

async function readPrevious(file: string): Promise<string> {
  let secret: string;
  try {
    secret = (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const why = describeThrown(cause);
    throw new AppError({ code: 'not_found', public: `${file} cannot be read: ${why}`, cause });
  }
  if (secret.length >= shortestSecret) return secret;
  throw new AppError({
    code: 'validation_failed',
    public: `${file} holds fewer than ${shortestSecret} characters, so it is not the secret of before: none is shorter.`,
  });
}
