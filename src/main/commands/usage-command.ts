/** What `sluice usage` asks of the database; see admin-command.ts. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import { writeUsd } from '../../base/money.ts';
import { everybody } from '../../base/scope.ts';
import { nameGroups, nameKeys, namePeople } from '../../identity/index.ts';
import type { Database } from '../../storage/index.ts';
import {
  type CsvPage,
  readUsagePage,
  readUsageReport,
  usageDimensions,
  writeCsvLine,
} from '../../usage/index.ts';
import { moment } from './moment.ts';

const id = z.int().positive();
const filter = {
  user: id.optional(),
  organisation: id.optional(),
  department: id.optional(),
  project: id.optional(),
  key: id.optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  status: z.int().optional(),
  tag: z.string().optional(),
  endUser: z.string().optional(),
};

/** What a report can be by, in the words of options; as its table's heading and its code call it, it is understood too. */
export const usageGroupings: readonly string[] = usageDimensions.map(writeOption);

function writeOption(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const grouping = z
  .string()
  .transform((typed) => usageDimensions.find((name) => isSameName(name, typed)) ?? typed)
  .pipe(z.enum(usageDimensions, `must be one of ${usageGroupings.join(', ')}`));

const isSameName = (name: string, typed: string): boolean =>
  name === typed || writeOption(name) === typed.toLowerCase().replaceAll('_', '-');

export const usageReportInput = z.strictObject({
  from: moment,
  to: moment,
  by: grouping.optional(),
  every: z.enum(['hour', 'day'], 'must be hour or day').optional(),
  limit: z.int().positive().optional(),
  where: z.strictObject(filter),
});

/** Sums of all, with amounts in USD. */
export async function reportUsage(
  db: Database,
  asked: z.output<typeof usageReportInput>,
): Promise<Readonly<Record<string, unknown>>> {
  const { rows, hasMore, span } = await readUsageReport(everybody, db, asked);
  const ids = rows.flatMap(({ group }) => (group === null ? [] : [Number(group)]));
  const names = await nameThose(db, asked.by, [...new Set(ids)]);
  const written = rows.map(({ costNanoUsd, chargedNanoUsd, ...row }) => ({
    ...row,
    ...(names === null ? {} : { name: names.get(Number(row.group)) ?? null }),
    costUsd: writeUsd(costNanoUsd),
    chargedUsd: writeUsd(chargedNanoUsd),
  }));
  const [from, to] = [new Date(span.fromMs).toISOString(), new Date(span.toMs).toISOString()];
  return { rows: written, hasMore, from, to };
}

/** @returns null for what has no number that stands for a name. Who was deleted since is not in it. */
async function nameThose(
  db: Database,
  by: (typeof usageDimensions)[number] | undefined,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string> | null> {
  switch (by) {
    case 'organisation':
    case 'department':
    case 'project':
      return await nameGroups(everybody, db, { kind: by, ids });
    case 'user':
    case 'payer':
      return await namePeople(everybody, db, ids);
    case 'key':
      return await nameKeys(everybody, db, ids);
    default:
      return null;
  }
}

export const usageRowsInput = z.strictObject({
  from: moment.optional(),
  to: moment.optional(),
  before: z.uuid().optional(),
  where: z.strictObject({ ...filter, session: z.string().optional(), journal: id.optional() }),
});

const linesAPage = 1000;

/** @throws AppError `invalid_parameter` for a span that ends before it begins, as a report does. */
export async function readUsageLines(
  db: Database,
  { from, to, before, where }: z.output<typeof usageRowsInput>,
): Promise<CsvPage> {
  if (from !== undefined && to !== undefined && from >= to) {
    throw new AppError({
      code: 'invalid_parameter',
      public: 'The span of an export must end after it begins.',
    });
  }
  const { user, organisation, department, project, key, session, journal, ...named } = where;
  const { records, next } = await readUsagePage(everybody, db, {
    ...{ from, to, before, limit: linesAPage, ...named },
    ...{ userId: user, organisationId: organisation, departmentId: department, projectId: project },
    ...{ keyId: key, sessionId: session, journalId: journal },
  });
  return { lines: records.map(writeCsvLine), next };
}
