import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { createUser } from '../identity/index.ts';
import { createOrganisation } from '../identity/organisations.ts';
import { newDepartment } from '../identity/testing/new-department.ts';
import { type Actor, type AuditNote, eraseFromTrail } from '../storage/audit-trail.ts';
import { auditChains, auditEntries } from '../storage/schema/audit.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { type ActivityAsked, listActivity } from './activity.ts';
import { verifyTrail } from './verify.ts';

describeOnEachDatabase('the audit trail', (openDatabase) => {
  let storage: Storage;
  const clock = new ManualClock();
  let asPerson: Actor;
  let person: number;
  let house: number;
  let mill: number;
  let sales: number;
  let works: number;

  beforeAll(async () => {
    storage = await openDatabase();
    const write = writerOn({ storage, clock, ids: systemIds });
    person = (await write(createUser, { email: 'ada@example.test', role: 'member' })).id;
    house = (await write(createOrganisation, { name: 'House' })).id;
    mill = (await write(createOrganisation, { name: 'Mill' })).id;
    sales = (await write(newDepartment, house, 'Sales')).id;
    works = (await write(newDepartment, house, 'Works')).id;
    asPerson = { kind: 'person', userId: person, address: '192.0.2.7', userAgent: 'a browser' };
  });
  afterAll(() => storage.close());

  const noteAs = (actor: Actor | undefined, ...notes: readonly AuditNote[]) =>
    transact({ storage, clock, ids: systemIds, actor }, async ({ note }) => {
      for (const one of notes) note(one);
    });
  const keyNote = (owner: AuditNote['owner'], id = 1): AuditNote => ({
    action: 'key.changed',
    subject: { kind: 'key', id, label: 'Ünïcode "key"' },
    owner,
    details: { name: { from: 'a', to: null }, scopes: { from: ['read'], to: [] }, failures: 12.5 },
  });
  /** What somebody does who may do anything in the database. */
  async function tamper(statement: ReturnType<typeof sql>): Promise<void> {
    await storage.db.transaction(async (transaction) => {
      await transaction.execute(sql`ALTER TABLE ${auditEntries} DISABLE TRIGGER USER`);
      await transaction.execute(statement);
      await transaction.execute(sql`ALTER TABLE ${auditEntries} ENABLE TRIGGER USER`);
    });
  }
  async function forget(): Promise<void> {
    await tamper(sql`DELETE FROM ${auditEntries}`);
    await storage.db.delete(auditChains);
  }
  const breaches = async () =>
    (await verifyTrail(storage.db)).breaches.map(({ chain, sequence, kind }) => [chain, sequence, kind]);

  test('has what was noted with the commit, under the name of who did it, and nothing of what was refused', async () => {
    await forget();
    await noteAs(asPerson, keyNote({ kind: 'department', id: sales }));
    await noteAs(undefined, {
      ...keyNote({ kind: 'person', id: person }),
      action: 'key.revoked',
      details: {},
    });
    const refused = transact({ storage, clock, ids: systemIds }, async ({ note }) => {
      note(keyNote({ kind: 'person', id: person }));
      throw new RangeError('no');
    });
    await expect(refused).rejects.toBeInstanceOf(RangeError);

    const { entries, next } = await listActivity(everybody, storage.db);
    expect(next).toBeNull();
    expect(entries).toMatchObject([
      {
        action: 'key.revoked',
        actorKind: 'program',
        actorId: null,
        actorEmail: null,
        chain: `person:${person}`,
      },
      {
        action: 'key.changed',
        actorKind: 'person',
        actorEmail: 'ada@example.test',
        chain: `organisation:${house}`,
        details: { name: { from: 'a', to: null }, scopes: { from: ['read'], to: [] }, failures: 12.5 },
        personal: { label: 'Ünïcode "key"', address: '192.0.2.7', userAgent: 'a browser' },
      },
    ]);
    expect(await breaches()).toEqual([]);
  });

  test('shows everybody what is theirs, by area, subject, time and page', async () => {
    await forget();
    for (let id = 1; id <= 5; id += 1) {
      await noteAs(asPerson, keyNote({ kind: 'department', id: id % 2 === 1 ? sales : works }, id));
      clock.advance(1000);
    }
    await noteAs(asPerson, {
      action: 'session.started',
      subject: { kind: 'session', id: 9 },
      owner: { kind: 'person', id: person },
    });
    await noteAs(undefined, { action: 'price.set', subject: { kind: 'model', id: 'm' }, owner: 'house' });
    const idsOf = async (scope: Scope, asked?: ActivityAsked) =>
      (await listActivity(scope, storage.db, asked)).entries.map(({ subjectId }) => subjectId);

    expect(await idsOf(everybody)).toEqual(['m', '9', '5', '4', '3', '2', '1']);
    expect(await idsOf({ whose: 'organisation', organisationId: house })).toEqual(['5', '4', '3', '2', '1']);
    expect(await idsOf({ whose: 'department', organisationId: house, departmentId: sales })).toEqual([
      '5',
      '3',
      '1',
    ]);
    expect(await idsOf({ whose: 'organisation', organisationId: mill })).toEqual([]);
    expect(await idsOf(onlyOf(person + 1))).toEqual([]);
    expect(await idsOf(onlyOf(person), { area: 'session' })).toEqual(['9']);
    expect(await idsOf(onlyOf(person), { area: "'; --" })).toEqual([]);
    expect(await idsOf(everybody, { subject: { kind: 'key', id: '3' } })).toEqual(['3']);
    const first = await listActivity(everybody, storage.db, { limit: 3 });
    expect(first.entries).toHaveLength(3);
    const second = await listActivity(everybody, storage.db, { limit: 3, before: first.next ?? undefined });
    expect(second.entries.map(({ subjectId }) => subjectId)).toEqual(['4', '3', '2']);
    const [, , third] = (await listActivity(everybody, storage.db, { area: 'key' })).entries;
    expect(await idsOf(everybody, { area: 'key', from: third?.at })).toEqual(['5', '4', '3']);
    expect(await idsOf(everybody, { area: 'key', to: third?.at })).toEqual(['2', '1']);
  });

  test('cannot be changed, and shows it where somebody did all the same', async () => {
    const chain = `person:${person}`;
    const begin = async () => {
      await forget();
      for (let id = 1; id <= 4; id += 1) await noteAs(asPerson, keyNote({ kind: 'person', id: person }, id));
      expect(await breaches()).toEqual([]);
    };
    await begin();
    for (const statement of [
      sql`UPDATE ${auditEntries} SET action = 'key.created'`,
      sql`UPDATE ${auditEntries} SET personal = NULL, personal_salt = NULL, actor_id = 77`,
      sql`DELETE FROM ${auditEntries}`,
      sql`TRUNCATE ${auditEntries}`,
    ]) {
      await expect(Promise.resolve(storage.db.execute(statement))).rejects.toThrow();
    }

    await tamper(sql`UPDATE ${auditEntries} SET actor_id = 77 WHERE sequence = 2`);
    expect(await breaches()).toEqual([[chain, 2, 'changed']]);
    await begin();
    await tamper(sql`UPDATE ${auditEntries} SET details = '{}' WHERE sequence = 1`);
    expect(await breaches()).toEqual([[chain, 1, 'changed']]);
    await begin();
    await tamper(sql`UPDATE ${auditEntries} SET personal = '{"label":"another"}' WHERE sequence = 3`);
    expect(await breaches()).toEqual([[chain, 3, 'personal_changed']]);
    await begin();
    await tamper(sql`DELETE FROM ${auditEntries} WHERE sequence = 2`);
    expect(await breaches()).toEqual([[chain, 2, 'missing']]);
    await begin();
    await tamper(sql`DELETE FROM ${auditEntries} WHERE sequence >= 3`);
    expect(await breaches()).toEqual([[chain, 3, 'end']]);
    await begin();
    await tamper(sql`UPDATE ${auditChains} SET head = ${'f'.repeat(64)}`);
    expect(await breaches()).toEqual([[chain, 4, 'end']]);
    await begin();
    const copied = sql`chain, at, action, subject_kind, subject_id, user_id, organisation_id, department_id, actor_kind,
      actor_id, details, personal, personal_salt, personal_hash, hash`;
    await tamper(
      sql`INSERT INTO ${auditEntries} (${copied}, sequence) SELECT ${copied}, 5 FROM ${auditEntries} WHERE sequence = 4`,
    );
    expect(await breaches()).toEqual([[chain, 5, 'end']]);
    await begin();
    await tamper(sql`DELETE FROM ${auditChains}`);
    expect(await breaches()).toEqual([[chain, 1, 'end']]);
  });

  test('keeps its chain when what is personal of somebody is removed', async () => {
    await forget();
    await noteAs(
      asPerson,
      keyNote({ kind: 'person', id: person }),
      keyNote({ kind: 'organisation', id: house }),
    );
    await noteAs(
      { kind: 'visitor', userId: null, address: '192.0.2.8' },
      keyNote({ kind: 'organisation', id: house }),
    );
    await storage.db.transaction((transaction) => eraseFromTrail(transaction, { userIds: [person] }));
    const rows = await storage.db.select().from(auditEntries).where(eq(auditEntries.actorKind, 'person'));
    expect(rows.map(({ personal, personalSalt }) => [personal, personalSalt])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect((await listActivity(everybody, storage.db)).entries[0]?.personal).toMatchObject({
      address: '192.0.2.8',
    });
    expect(await breaches()).toEqual([]);
  });

  test('has one order where many write at once, in several chains', async () => {
    await forget();
    await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const both = [
          keyNote({ kind: 'organisation', id: house }, at),
          keyNote({ kind: 'organisation', id: mill }, at),
        ];
        return noteAs(asPerson, ...(at % 2 === 0 ? both : both.toReversed()));
      }),
    );
    const report = await verifyTrail(storage.db);
    expect(report).toMatchObject({ chains: 2, entries: 24, breaches: [] });
    expect(report.heads.map(({ length }) => length)).toEqual([12, 12]);
  });
});
