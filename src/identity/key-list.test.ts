import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf, type Scope } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import type { Storage } from '../storage/storage.ts';
import type { User } from './index.ts';
import type { KeyFields } from './key.ts';
import { makeKey } from './key-changes.ts';
import { type KeyListAsked, listKeyPage, listLatestKeys } from './key-list.ts';
import type { PlaceAsked } from './key-place.ts';
import { revokeKey } from './keys.ts';
import { type House, type Newcomers, newcomersIn } from './testing/newcomers.ts';

const nowMs = Date.UTC(2031, 0, 1);
const dayMs = 86_400_000;
const nowhere: PlaceAsked = { departmentId: null, projectId: null };

describeOnEachDatabase('keys in a list', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let person: Newcomers['person'];
  let own: House;
  let foreign: House;
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock: clockShowing(() => nowMs), ids: systemIds });
    const newcomers = newcomersIn(storage, write);
    person = newcomers.person;
    own = await newcomers.house('own');
    foreign = await newcomers.house('foreign');
  });
  afterAll(() => storage.close());

  const make = (scope: Scope, actor: User, fields: KeyFields, place = nowhere) =>
    write(within(scope, makeKey), { actor, tokenPrefix: 'sluice_', fields, ...place });

  describe('the list', () => {
    const names = async (scope: Scope, asked: Partial<KeyListAsked> = {}) => {
      const usual = { nowMs, sort: 'made', isDescending: false, page: 1, pageSize: 50 } as const;
      const { keys } = await listKeyPage(scope, storage.db, { ...usual, ...asked });
      return keys.map(({ name }) => name);
    };

    test('begins with those that were used or made last, for who needs a few', async () => {
      const owner = await person('member', { id: own.id, department: own.sales });
      const scope = onlyOf(owner.id);
      for (const name of ['first', 'second', 'third', 'gone'])
        await make(scope, owner, { name, ownerId: owner.id });
      const keys = await listLatestKeys(scope, storage.db, 10);
      const idOf = (name: string) => keys.find((key) => key.name === name)?.id ?? 0;
      const usedAt = new Date(nowMs + 1000);
      await storage.db
        .update(apiKeys)
        .set({ lastUsedAt: usedAt })
        .where(eq(apiKeys.id, idOf('first')));
      await write(within(scope, revokeKey), idOf('gone'));
      const latest = async (limit: number) =>
        (await listLatestKeys(scope, storage.db, limit)).map(({ name }) => name);
      expect(await latest(10)).toEqual(['first', 'third', 'second']);
      expect(await latest(2)).toEqual(['first', 'third']);
    });

    test('has one page of what fits, in an order, with the state of each', async () => {
      const owner = await person('member', { id: own.id, department: own.sales });
      const scope = onlyOf(owner.id);
      const at = (ms: number) => ({ expiresAt: new Date(nowMs + ms) });
      const made = new Map<string, number>();
      for (const fields of [
        { name: 'b 100%' },
        { name: 'A_c', enabled: false },
        { name: 'soon', ...at(7 * dayMs) },
        { name: 'later', ...at(7 * dayMs + 1) },
        { name: 'over', enabled: false },
        { name: 'gone' },
      ]) {
        made.set(fields.name, (await make(scope, owner, { ownerId: owner.id, ...fields })).key.id);
      }
      const idOf = (name: string) => made.get(name) ?? 0;
      await storage.db
        .update(apiKeys)
        .set({ expiresAt: new Date(nowMs) })
        .where(eq(apiKeys.id, idOf('over')));
      await write(within(scope, revokeKey), idOf('gone'));
      expect(await names(scope)).toEqual(['b 100%', 'A_c', 'soon', 'later', 'over']);
      expect(await names(scope, { state: 'active' })).toEqual(['b 100%', 'soon', 'later']);
      expect(await names(scope, { state: 'expiring' })).toEqual(['soon']);
      expect(await names(scope, { state: 'disabled' })).toEqual(['A_c']);
      expect(await names(scope, { state: 'expired' })).toEqual(['over']);
      expect(await names(scope, { state: 'revoked' })).toEqual(['gone']);
      const { keys } = await listKeyPage(scope, storage.db, {
        ...{ nowMs, sort: 'name', isDescending: false, page: 1, pageSize: 9 },
      });
      expect(keys.map(({ name, state, departmentName }) => [name, state, departmentName])).toEqual([
        ['A_c', 'disabled', 'Sales'],
        ['b 100%', 'active', 'Sales'],
        ['later', 'active', 'Sales'],
        ['over', 'expired', 'Sales'],
        ['soon', 'expiring', 'Sales'],
      ]);
      expect(await names(scope, { sort: 'expiry' })).toEqual(['over', 'soon', 'later', 'b 100%', 'A_c']);
      expect(await names(scope, { sort: 'expiry', isDescending: true })).toEqual([
        'later',
        'soon',
        'over',
        'A_c',
        'b 100%',
      ]);
      const spendNanoUsd = new Map([
        [idOf('soon'), 10n ** 19n],
        [idOf('over'), 7n],
      ]);
      expect((await names(scope, { sort: 'spend', isDescending: true, spendNanoUsd })).slice(0, 2)).toEqual([
        'soon',
        'over',
      ]);
      expect(await names(scope, { sort: 'made', pageSize: 2, page: 2 })).toEqual(['soon', 'later']);
      expect(await names(scope, { sort: 'made', pageSize: 2, page: 99 })).toEqual(['over']);
      for (const [search, expected] of [
        ['100%', ['b 100%']],
        ['a_', ['A_c']],
        ['%', ['b 100%']],
        ['\0', ['b 100%', 'A_c', 'soon', 'later', 'over']],
        ["' OR 1=1 --", []],
        ['\\', []],
        [owner.email, ['b 100%', 'A_c', 'soon', 'later', 'over']],
      ] as const) {
        expect(await names(scope, { search })).toEqual([...expected]);
      }
    });

    test('is filtered by person, department and project, within the scope', async () => {
      const owner = await person('member', { id: foreign.id, department: foreign.sales });
      const admin = await person('org_admin', foreign);
      const named = (name: string, place = nowhere) =>
        make(foreign.whole, admin, { ownerId: owner.id, name }, place);
      await named('follows');
      await named('placed', { departmentId: foreign.labs, projectId: null });
      await named('working', { departmentId: null, projectId: foreign.ofAll });
      await make(foreign.whole, admin, { ownerId: admin.id, name: "the admin's" });
      expect(await names(foreign.whole, { ownerId: owner.id })).toEqual(['follows', 'placed', 'working']);
      expect(await names(foreign.whole, { departmentId: foreign.sales })).toEqual(['follows', 'working']);
      expect(await names(foreign.whole, { projectId: foreign.ofAll })).toEqual(['working']);
      expect(await names(foreign.inLabs)).toEqual(['placed']);
      expect(await names(own.whole, { ownerId: owner.id })).toEqual([]);
    });
  });
});
