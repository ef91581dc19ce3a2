/** What it takes to write the audit trail, which others wait for until the commit. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { type TestDatabase, usualDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { type AuditNote, programItself, writeNotes } from './audit-trail.ts';
import type { Transaction } from './database.ts';
import { auditEntries } from './schema/audit.ts';
import { departments, organisations, users } from './schema/identity.ts';

let storage: TestDatabase;
beforeAll(async () => {
  storage = await usualDatabase.open();
});
afterAll(() => storage.close());

/** The same transaction, which tells how often it was asked to read. */
function counting(transaction: Transaction) {
  let reads = 0;
  const executor = new Proxy(transaction, {
    get(target, name) {
      if (name === 'select') reads += 1;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { executor, countReads: () => reads };
}

test('whose things are is looked up once for all that is noted of them, and told of each', async () => {
  const { db } = storage;
  const [mill] = await db.insert(organisations).values({ name: 'Mill', slug: 'mill' }).returning();
  const organisationId = mill?.id ?? 0;
  const [sales] = await db.insert(departments).values({ organisationId, name: 'Sales' }).returning();
  const departmentId = sales?.id ?? 0;
  const [ada, bob] = await db
    .insert(users)
    .values([
      { email: 'ada@example.test', role: 'member', organisationId, departmentId },
      { email: 'bob@example.test', role: 'member' },
    ])
    .returning();
  const [adaId, bobId] = [ada?.id ?? 0, bob?.id ?? 0];
  const owners: readonly AuditNote['owner'][] = [
    { kind: 'person', id: adaId },
    { kind: 'person', id: bobId },
    { kind: 'department', id: departmentId },
  ];
  const notes = Array.from({ length: 30 }, (_, id): AuditNote => {
    const owner = owners[id % owners.length] ?? 'house';
    return { action: 'contact.created', subject: { kind: 'contact', id }, owner };
  });
  const reads = await db.transaction(async (transaction) => {
    const { executor, countReads } = counting(transaction);
    await writeNotes({ executor, ids: systemIds, actor: programItself, nowMs: 0 }, notes);
    return countReads();
  });
  expect(reads).toBe(3);
  const entries = await db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.action, 'contact.created'))
    .orderBy(asc(auditEntries.id));
  const placeOfSubject = new Map(
    entries.map((entry) => [
      Number(entry.subjectId),
      [entry.userId, entry.organisationId, entry.departmentId],
    ]),
  );
  expect(placeOfSubject.size).toBe(30);
  for (const { subject, owner } of notes) {
    const place = placeOfSubject.get(Number(subject.id));
    if (owner === owners[0]) expect(place).toEqual([adaId, organisationId, departmentId]);
    if (owner === owners[1]) expect(place).toEqual([bobId, null, null]);
    if (owner === owners[2]) expect(place).toEqual([null, organisationId, departmentId]);
  }
});
