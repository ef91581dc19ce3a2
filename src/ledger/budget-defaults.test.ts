import { beforeEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { departments, organisations } from '../storage/schema/identity.ts';
import {
  type BudgetDefault,
  giveDefaultBudgets,
  listBudgetDefaults,
  removeBudgetDefault,
  removeUndeclaredBudgetDefaults,
  setBudgetDefault,
} from './budget-defaults.ts';
import { listBudgets, setBudget } from './budgets.ts';
import { openTestBooks } from './testing/test-books.ts';

describeOnEachDatabase('budgets that groups give', (openDatabase) => {
  const books = openTestBooks(openDatabase);
  let organisationId: number;
  let departmentId: number;
  beforeEach(async () => {
    const { db } = books;
    const [house] = await db
      .insert(organisations)
      .values({ slug: crypto.randomUUID(), name: 'House' })
      .returning();
    organisationId = house?.id ?? 0;
    const [part] = await db.insert(departments).values({ organisationId, name: 'Sales' }).returning();
    departmentId = part?.id ?? 0;
  });

  const { write } = books;
  const set = (asked: Partial<BudgetDefault> & { readonly ofDepartment?: boolean }) => {
    const { ofDepartment = false, ...fields } = asked;
    const group = { organisationId, departmentId: ofDepartment ? departmentId : null };
    const usual = {
      group,
      receivers: 'members',
      period: 'monthly',
      limitNanoUsd: 50n,
      managedBy: null,
    } as const;
    return write((work) => setBudgetDefault(work, { ...usual, ...fields }));
  };
  const join = async (kind: 'user' | 'key', place: { departmentId: number | null }) => {
    const id = await books.newPerson();
    await write((work) => giveDefaultBudgets(work, { kind, id }, { organisationId, ...place }));
    return { kind, id } as const;
  };
  const budgetsOf = async (subject: { readonly kind: 'user' | 'key'; readonly id: number }) =>
    (await listBudgets(books.db, 0, [subject]))
      .map(({ period, limitNanoUsd, managedBy }) => `${period} ${limitNanoUsd} ${managedBy}`)
      .toSorted();
  const actions = async () => {
    const rows = await books.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.organisationId, organisationId))
      .orderBy(auditEntries.id);
    return rows.map(({ action, subjectKind, details }) =>
      [action, subjectKind, JSON.stringify(details)].join(' '),
    );
  };

  test('go to new members and to new keys, each to their own, and not to who was there before', async () => {
    const before = await join('user', { departmentId: null });
    expect(await set({})).toBe(true);
    expect(await set({ receivers: 'keys', period: 'daily', limitNanoUsd: 7n })).toBe(true);
    expect(await budgetsOf(await join('user', { departmentId: null }))).toEqual(['monthly 50 null']);
    expect(await budgetsOf(await join('key', { departmentId: null }))).toEqual(['daily 7 null']);
    expect(await budgetsOf(before)).toEqual([]);
  });

  test('of a department go before those of its organisation, period by period, and to no other department', async () => {
    await set({ limitNanoUsd: 50n });
    await set({ period: 'total', limitNanoUsd: 900n });
    await set({ ofDepartment: true, limitNanoUsd: 30n });
    await set({ ofDepartment: true, period: 'daily', limitNanoUsd: 3n });
    const [other] = await books.db.insert(departments).values({ organisationId, name: 'Mills' }).returning();
    const within = await join('user', { departmentId });
    expect(await budgetsOf(within)).toEqual(['daily 3 null', 'monthly 30 null', 'total 900 null']);
    const beside = ['monthly 50 null', 'total 900 null'];
    expect(await budgetsOf(await join('user', { departmentId: other?.id ?? 0 }))).toEqual(beside);
    expect(await budgetsOf(await join('user', { departmentId: null }))).toEqual(beside);
  });

  test('leave a budget that is there as it is, and nobody outside gets any', async () => {
    await set({});
    await set({ period: 'daily', limitNanoUsd: 5n });
    const id = await books.newPerson();
    const subject = { kind: 'user', id } as const;
    await write(async (work) => {
      await setBudget(work, { subject, period: 'monthly', limitNanoUsd: 1n, managedBy: null });
      await giveDefaultBudgets(work, subject, { organisationId, departmentId: null });
    });
    expect(await budgetsOf(subject)).toEqual(['daily 5 null', 'monthly 1 null']);
    const outside = { kind: 'user', id: await books.newPerson() } as const;
    await write((work) => giveDefaultBudgets(work, outside, { organisationId: null, departmentId: null }));
    expect(await budgetsOf(outside)).toEqual([]);
  });

  test('are changed and removed for those who come later, and the trail tells it', async () => {
    await set({});
    const early = await join('user', { departmentId: null });
    expect(await set({})).toBe(false);
    expect(await set({ limitNanoUsd: 60_000_000_000n })).toBe(true);
    await set({ ofDepartment: true });
    const group = { organisationId, departmentId: null };
    const named = { group, receivers: 'members', period: 'monthly' } as const;
    expect(await write((work) => removeBudgetDefault(work, named))).toBe(true);
    expect(await write((work) => removeBudgetDefault(work, named))).toBe(false);
    expect(await listBudgetDefaults(books.db, group)).toEqual([]);
    expect(await listBudgetDefaults(books.db, { organisationId, departmentId })).toHaveLength(1);
    expect(await budgetsOf(await join('user', { departmentId: null }))).toEqual([]);
    expect(await budgetsOf(early)).toEqual(['monthly 50 null']);
    expect(await actions()).toEqual([
      'budget.default_set organisation {"receivers":"members","period":"monthly","usd":"0.00000005"}',
      'budget.default_set organisation {"receivers":"members","period":"monthly","usd":"60.00"}',
      'budget.default_set department {"receivers":"members","period":"monthly","usd":"0.00000005"}',
      'budget.default_removed organisation {"receivers":"members","period":"monthly"}',
    ]);
  });

  test('that a file declares end with their line, and those of others stay', async () => {
    await set({ managedBy: 'file' });
    await set({ ofDepartment: true, managedBy: 'file' });
    await set({ period: 'daily' });
    const kept = {
      group: { organisationId, departmentId },
      receivers: 'members',
      period: 'monthly',
    } as const;
    expect(await write((work) => removeUndeclaredBudgetDefaults(work, [kept]))).toBe(true);
    expect(await write((work) => removeUndeclaredBudgetDefaults(work, [kept]))).toBe(false);
    const left = (await listBudgetDefaults(books.db)).filter(
      ({ group }) => group.organisationId === organisationId,
    );
    expect(left.map(({ group, period }) => [group.departmentId, period])).toEqual([
      [departmentId, 'monthly'],
      [null, 'daily'],
    ]);
    expect(await set({ ofDepartment: true, managedBy: null })).toBe(true);
  });

  test('are never less than nothing, and go with their group', async () => {
    await expect(set({ limitNanoUsd: -1n })).rejects.toThrow('less than nothing');
    await set({ ofDepartment: true });
    await set({});
    await books.db.delete(departments).where(eq(departments.organisationId, organisationId));
    expect(await listBudgetDefaults(books.db, { organisationId, departmentId })).toEqual([]);
    await books.db.delete(organisations).where(eq(organisations.id, organisationId));
    expect(await listBudgetDefaults(books.db, { organisationId, departmentId: null })).toEqual([]);
  });
});
