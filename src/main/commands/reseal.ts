/**
 * `sluice credentials reseal`: after the service secret was changed, seals under the new one what the database holds
 * sealed under the one before. It may be interrupted and run again; what the new secret opens is left as it is.
 */
import { readFile } from 'node:fs/promises';
import { and, asc, eq, gt, isNotNull } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Envelope, openEnvelope } from '../../base/envelope.ts';
import { AppError, describeThrown } from '../../base/errors.ts';
import { systemIds } from '../../base/ids.ts';
import type { Database } from '../../storage/database.ts';
import { openStorage } from '../../storage/index.ts';
import { providerCredentials } from '../../storage/schema/catalogue.ts';
import { mailOutbox } from '../../storage/schema/notifications.ts';
import { totpSecrets } from '../../storage/schema/sign-in.ts';
import { webhooks } from '../../storage/schema/webhooks.ts';
import { requireDatabase, requireEnvironment, storageOptions } from '../environment.ts';
import { loadSecret } from '../secret.ts';
import { type OutputOptions, printJson, printLines } from './output.ts';

interface Sealed {
  readonly what: string;
  readonly table: PgTable;
  readonly key: PgColumn;
  /** Its name in the table's object. */
  readonly member: string;
  readonly column: PgColumn;
}

/** All that is sealed: a test compares it with the schema. */
const sealedColumns: readonly Sealed[] = [
  {
    ...{ what: 'credentials of providers', table: providerCredentials, key: providerCredentials.id },
    ...{ member: 'sealedSecret', column: providerCredentials.sealedSecret },
  },
  {
    ...{ what: 'mails that wait', table: mailOutbox, key: mailOutbox.id },
    ...{ member: 'sealedContent', column: mailOutbox.sealedContent },
  },
  {
    ...{ what: 'second factors', table: totpSecrets, key: totpSecrets.userId },
    ...{ member: 'sealedSecret', column: totpSecrets.sealedSecret },
  },
  {
    ...{ what: 'secrets of webhooks', table: webhooks, key: webhooks.id },
    ...{ member: 'sealedSecret', column: webhooks.sealedSecret },
  },
  {
    ...{ what: 'former secrets of webhooks', table: webhooks, key: webhooks.id },
    ...{ member: 'sealedPreviousSecret', column: webhooks.sealedPreviousSecret },
  },
];

const rowsAtOnce = 500;

interface Counts {
  readonly what: string;
  resealed: number;
  /** Under the new secret before. */
  kept: number;
  /** Neither secret opens them. */
  unreadable: number;
}

export async function reseal(
  variables: Readonly<Record<string, string | undefined>>,
  { json, previousSecretFile }: OutputOptions & { readonly previousSecretFile: string },
): Promise<void> {
  const environment = requireEnvironment(variables);
  requireDatabase(environment);
  const onWarning = (message: string) => printLines([message]);
  const present = await openEnvelope(await loadSecret(environment, { ids: systemIds, onWarning }));
  const previous = await openEnvelope(await readPrevious(previousSecretFile));
  const storage = await openStorage(storageOptions(environment));
  try {
    await storage.migrate();
    const counts: Counts[] = [];
    for (const sealed of sealedColumns)
      counts.push(await resealColumn(storage.db, sealed, { present, previous }));
    if (json) return printJson(counts);
    printLines(
      counts.map(
        ({ what, resealed, kept, unreadable }) =>
          `${what}: ${resealed} sealed anew, ${kept} were already, ${unreadable} open with neither secret.`,
      ),
    );
  } finally {
    await storage.close();
  }
}

async function readPrevious(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const why = describeThrown(cause);
    throw new AppError({ code: 'not_found', public: `${file} cannot be read: ${why}`, cause });
  }
}

async function resealColumn(
  db: Database,
  { what, table, key, member, column }: Sealed,
  { present, previous }: { present: Envelope; previous: Envelope },
): Promise<Counts> {
  const counts: Counts = { what, resealed: 0, kept: 0, unreadable: 0 };
  for (let after: number | null = 0; after !== null; ) {
    const rows: { id: unknown; sealed: unknown }[] = await db
      .select({ id: key, sealed: column })
      .from(table)
      .where(and(gt(key, after), isNotNull(column)))
      .orderBy(asc(key))
      .limit(rowsAtOnce);
    for (const { id, sealed } of rows) {
      const text = String(sealed);
      if ((await tryOpen(present, text)) !== null) {
        counts.kept += 1;
        continue;
      }
      const plain = await tryOpen(previous, text);
      if (plain === null) {
        counts.unreadable += 1;
        continue;
      }
      // Whoever wrote another one meanwhile has the last word.
      const value = { [member]: await present.seal(plain) };
      await db
        .update(table)
        .set(value)
        .where(and(eq(key, id), eq(column, text)));
      counts.resealed += 1;
    }
    after = rows.length < rowsAtOnce ? null : Number(rows.at(-1)?.id);
  }
  return counts;
}

const tryOpen = (envelope: Envelope, sealed: string): Promise<string | null> =>
  envelope.open(sealed).catch(() => null);
