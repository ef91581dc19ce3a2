import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { and, asc, eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { projectMembers, users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { endKey, listProjects, type User } from './index.ts';
import type { KeyFields } from './key.ts';
import { changeKey, makeKey, setKeyEnabled } from './key-changes.ts';
import type { PlaceAsked } from './key-place.ts';
import { endOverlap, rotateKey } from './key-rotation.ts';
import { createKey, findKey, listKeys, revokeKey } from './keys.ts';
import { type House, type Newcomers, newcomersIn } from './testing/newcomers.ts';

const nowMs = Date.UTC(2031, 0, 1);
const tokenPrefix = 'sluice_';
const nowhere: PlaceAsked = { departmentId: null, projectId: null };

describeOnEachDatabase('keys of people', (openDatabase) => {
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
    write(within(scope, makeKey), { actor, tokenPrefix, fields, ...place });

  describe('a scope', () => {
    test('finds a key that belongs to nothing where its owner is, and one that belongs elsewhere there', async () => {
      const owner = await person('member', { id: own.id, department: own.sales });
      const follows = (
        await make(own.whole, await person('org_admin', own), { ownerId: owner.id, name: 'f' })
      ).key;
      const placed = (
        await make(
          own.whole,
          await person('org_admin', own),
          { ownerId: owner.id, name: 'p' },
          {
            departmentId: own.labs,
            projectId: null,
          },
        )
      ).key;
      expect(placed).toMatchObject({ organisationId: own.id, departmentId: own.labs, projectId: null });
      const seen = async (scope: Scope) => {
        const ids = (await listKeys(scope, storage.db)).map(({ id }) => id);
        const found = await Promise.all([follows, placed].map(({ id }) => findKey(scope, storage.db, id)));
        expect(found.map((key) => key !== undefined)).toEqual(
          [follows, placed].map(({ id }) => ids.includes(id)),
        );
        return [ids.includes(follows.id), ids.includes(placed.id)];
      };
      expect(await seen(everybody)).toEqual([true, true]);
      expect(await seen(onlyOf(owner.id))).toEqual([true, true]);
      expect(await seen(own.whole)).toEqual([true, true]);
      expect(await seen(own.inSales)).toEqual([true, false]);
      expect(await seen(own.inLabs)).toEqual([false, true]);
      for (const scope of [foreign.whole, foreign.inSales, onlyOf(owner.id + 1)]) {
        expect(await seen(scope)).toEqual([false, false]);
        await expect(write(within(scope, revokeKey), follows.id)).rejects.toMatchObject({
          code: 'not_found',
        });
      }
      // Moves with its owner, and the placed one stays.
      await storage.db.update(users).set({ departmentId: own.labs }).where(eq(users.id, owner.id));
      expect(await seen(own.inSales)).toEqual([false, false]);
      expect(await seen(own.inLabs)).toEqual([true, true]);
      await write(within(own.inLabs, revokeKey), follows.id);
      expect((await findKey(everybody, storage.db, follows.id))?.revokedAt).not.toBeNull();
    });

    test('places a key in what it sees and its owner is of, and nowhere else', async () => {
      const admin = await person('org_admin', own);
      const owner = await person('member', { id: own.id, department: own.sales });
      const at = (scope: Scope, actor: User, place: Partial<PlaceAsked>) =>
        make(scope, actor, { ownerId: owner.id, name: 'placed' }, { ...nowhere, ...place }).then(
          ({ key: { organisationId, departmentId, projectId } }) => [organisationId, departmentId, projectId],
          (error) => error.param ?? error.fields.map(({ loc }: { loc: string[] }) => loc[0]).join(),
        );
      expect(await at(own.whole, admin, { projectId: own.ofSales })).toEqual([
        own.id,
        own.sales,
        own.ofSales,
      ]);
      expect(await at(own.whole, admin, { projectId: own.ofAll })).toEqual([own.id, own.sales, own.ofAll]);
      expect(await at(own.whole, admin, { projectId: own.ofSales, departmentId: own.labs })).toBe(
        'departmentId',
      );
      expect(await at(own.whole, admin, { departmentId: foreign.sales })).toBe('departmentId');
      expect(await at(own.whole, admin, { projectId: foreign.ofAll })).toBe('projectId');
      expect(await at(own.whole, admin, { projectId: 999_999 })).toBe('projectId');
      const head = await person('department_admin', { id: own.id, department: own.sales });
      expect(await at(own.inSales, head, { departmentId: own.labs })).toBe('departmentId');
      expect(await at(own.inSales, head, { departmentId: own.sales })).toEqual([own.id, own.sales, null]);
      expect(await at(onlyOf(owner.id), owner, { projectId: own.ofAll })).toBe('projectId');
      await storage.db
        .insert(projectMembers)
        .values({ projectId: own.ofAll, userId: owner.id, organisationId: own.id });
      expect(await at(onlyOf(owner.id), owner, { projectId: own.ofAll })).toEqual([
        own.id,
        own.sales,
        own.ofAll,
      ]);
      expect(await at(onlyOf(owner.id), owner, { departmentId: own.labs })).toBe('departmentId');
      expect((await listProjects(onlyOf(owner.id), storage.db)).map(({ id }) => id)).toEqual([own.ofAll]);
      expect((await listProjects(own.inLabs, storage.db)).map(({ id }) => id)).toEqual([own.ofAll]);
      const loner = await person('member');
      await expect(
        make(
          onlyOf(loner.id),
          loner,
          { ownerId: loner.id, name: 'x' },
          { ...nowhere, departmentId: own.sales },
        ),
      ).rejects.toMatchObject({ param: 'departmentId' });
    });
  });

  describe('who may', () => {
    test.each([
      ['member', 'member', false],
      ['department_admin', 'member', true],
      ['department_admin', 'department_admin', true],
      ['department_admin', 'org_admin', false],
      ['org_admin', 'org_owner', false],
      ['org_owner', 'org_admin', true],
    ] as const)('%s to a key of a %s: %p', async (actorRole, ownerRole, may) => {
      const actor = await person(actorRole, { id: own.id, department: own.sales });
      const owner = await person(ownerRole, { id: own.id, department: own.sales });
      const { key } = await write(within(everybody, createKey), tokenPrefix, {
        ownerId: owner.id,
        name: 'k',
      });
      const asked = { actor, keyId: key.id };
      const tries = [
        () => make(own.whole, actor, { ownerId: owner.id, name: 'made' }),
        () => write(within(own.whole, setKeyEnabled), { ...asked, enabled: false }),
        () => write(within(own.whole, endKey), asked),
      ];
      for (const attempt of tries) {
        const outcome = await attempt().then(
          () => true,
          ({ code }) => code,
        );
        expect(outcome).toBe(may || 'not_allowed');
      }
      // Their own always.
      const mine = await make(own.whole, actor, { ownerId: actor.id, name: 'mine' });
      await write(within(own.whole, endKey), { actor, keyId: mine.key.id });
    });

    test('who sees a key and not its owner ends it, and gets no token of it', async () => {
      const owner = await person('member', { id: own.id, department: own.sales });
      const head = await person('department_admin', { id: own.id, department: own.labs });
      const fields = { ownerId: owner.id, name: 'lent' };
      const lent = { ...nowhere, departmentId: own.labs };
      const { key } = await make(own.whole, await person('org_admin', own), fields, lent);
      const asked = { keyId: key.id, tokenPrefix, overlapHours: 1 };
      const turned = write(within(own.inLabs, rotateKey), { ...asked, actor: head });
      await expect(turned).rejects.toMatchObject({ code: 'not_allowed' });
      await write(within(onlyOf(owner.id), rotateKey), { ...asked, actor: owner });
      await write(within(own.inLabs, endKey), { actor: head, keyId: key.id });
    });

    test('a key that opens the account of its owner is had by the owner alone', async () => {
      const owner = await person('member', { id: own.id, department: own.sales });
      const admin = await person('org_admin', own);
      const fields = { ownerId: owner.id, name: 'whole', scopes: ['account', 'read'] as const };
      const refused = { code: 'not_allowed', param: 'scopes' };
      await expect(make(own.whole, admin, { ...fields, scopes: [...fields.scopes] })).rejects.toMatchObject(
        refused,
      );
      const { key: plain } = await make(own.whole, admin, { ownerId: owner.id, name: 'plain' });
      const widen = (actor: typeof admin) =>
        write(within(own.whole, changeKey), {
          ...{ actor, keyId: plain.id, revision: null, place: undefined },
          fields: { scopes: [...fields.scopes] },
        });
      await expect(widen(admin)).rejects.toMatchObject(refused);
      await widen(owner);
      const turn = (actor: typeof admin) =>
        write(within(own.whole, rotateKey), { actor, keyId: plain.id, tokenPrefix, overlapHours: 1 });
      await expect(turn(admin)).rejects.toMatchObject(refused);
      await turn(owner);
    });

    test('nobody makes a key for somebody of outside, or of nowhere: both look the same', async () => {
      const actor = await person('org_owner', own);
      const outside = await person('member', foreign);
      for (const ownerId of [outside.id, 999_999]) {
        await expect(make(own.whole, actor, { ownerId, name: 'x' })).rejects.toMatchObject({
          code: 'validation_failed',
          param: 'ownerId',
        });
      }
    });
  });

  describe('a change', () => {
    const change = (keyId: number, fields: object, revision: number | null = null, place?: PlaceAsked) =>
      write(within(everybody, changeKey), { actor: 'program', keyId, revision, fields, place });

    test('is of what is given, and leaves the rest', async () => {
      const owner = await person('member', own);
      const given = {
        scopes: ['webchat'] as 'webchat'[],
        allowedModels: ['m'],
        requestsPerMinute: 7,
        strictOutput: true,
      };
      const { key } = await make(everybody, owner, { ownerId: owner.id, name: 'before', ...given });
      const { before, key: after } = await change(key.id, { name: ' after ', allowedRegions: ['eu'] });
      expect(before).toEqual(key);
      expect(after).toEqual({ ...key, name: 'after', allowedRegions: ['eu'], revision: key.revision + 1 });
      const moved = await change(key.id, {}, null, { departmentId: null, projectId: own.ofAll });
      expect(moved.key).toMatchObject({ name: 'after', organisationId: own.id, projectId: own.ofAll });
      const back = await change(key.id, { allowedModels: null, requestsPerMinute: null }, null, nowhere);
      expect(back.key).toMatchObject({
        organisationId: null,
        projectId: null,
        allowedModels: null,
        requestsPerMinute: null,
      });
    });

    test('409 where it was made of an older revision, and of a key that is declared or revoked', async () => {
      const owner = await person('member');
      const { key } = await make(everybody, owner, { ownerId: owner.id, name: 'one' });
      await change(key.id, { name: 'two' }, key.revision);
      await expect(change(key.id, { name: 'three' }, key.revision)).rejects.toMatchObject({
        code: 'conflict',
      });
      expect((await findKey(everybody, storage.db, key.id))?.name).toBe('two');
      const both = await Promise.allSettled([
        change(key.id, { name: 'left' }, key.revision + 1),
        change(key.id, { name: 'right' }, key.revision + 1),
      ]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      await storage.db.update(apiKeys).set({ managedBy: 'first_run' }).where(eq(apiKeys.id, key.id));
      await expect(change(key.id, { name: 'x' })).rejects.toMatchObject({ code: 'conflict' });
      await storage.db.update(apiKeys).set({ managedBy: null }).where(eq(apiKeys.id, key.id));
      await write(within(everybody, revokeKey), key.id);
      await expect(change(key.id, { enabled: true })).rejects.toMatchObject({ code: 'conflict' });
    });

    test('422 for what cannot be, and an expiry that is over may stay but not be set', async () => {
      const owner = await person('member');
      const { key } = await make(everybody, owner, { ownerId: owner.id, name: 'one' });
      const paramOf = (fields: object) =>
        change(key.id, fields).then(
          () => 'done',
          ({ param }) => param,
        );
      expect(await paramOf({ name: '' })).toBe('name');
      expect(await paramOf({ name: 'a\0b' })).toBe('name');
      expect(await paramOf({ scopes: [] })).toBe('scopes');
      expect(await paramOf({ allowedModels: ['a\0'] })).toBe('allowedModels.0');
      expect(await paramOf({ tokensPerMinute: 0 })).toBe('tokensPerMinute');
      expect(await paramOf({ expiresAt: new Date(nowMs) })).toBe('expiresAt');
      const over = new Date(nowMs - 1);
      await storage.db.update(apiKeys).set({ expiresAt: over }).where(eq(apiKeys.id, key.id));
      expect(await paramOf({ name: 'still', expiresAt: over })).toBe('done');
    });
  });

  test('what is done to a key is noted where it belongs, with what changed and without its names', async () => {
    const owner = await person('member', { id: own.id, department: own.sales });
    const asked = { actor: owner, tokenPrefix };
    const { key } = await make(onlyOf(owner.id), owner, { ownerId: owner.id, name: 'of Ada' });
    const { id: keyId } = key;
    const scope = onlyOf(owner.id);
    const fields = { name: 'of Bob', allowedModels: ['a'], requestsPerMinute: 5 };
    await write(within(scope, changeKey), { actor: owner, keyId, revision: null, fields, place: undefined });
    for (const enabled of [false, false, true]) {
      await write(within(scope, setKeyEnabled), { actor: owner, keyId, enabled });
    }
    await write(within(scope, rotateKey), { ...asked, keyId, overlapHours: 2 });
    await write(within(scope, endOverlap), { actor: owner, keyId });
    for (const _ of [1, 2]) await write(within(scope, endKey), { actor: owner, keyId });

    const noted = await storage.db
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.subjectKind, 'key'), eq(auditEntries.subjectId, String(keyId))))
      .orderBy(asc(auditEntries.id));
    expect(noted.map(({ action, details }) => [action, details])).toEqual([
      ['key.created', { scopes: ['inference', 'read'], expiresAt: null }],
      [
        'key.changed',
        {
          allowedModels: { from: null, to: ['a'] },
          requestsPerMinute: { from: null, to: 5 },
          renamed: true,
        },
      ],
      ['key.disabled', {}],
      ['key.enabled', {}],
      ['key.rotated', { overlapHours: 2 }],
      ['key.changed', { overlapEnded: true }],
      ['key.revoked', {}],
    ]);
    for (const entry of noted) {
      expect(entry).toMatchObject({ userId: owner.id, organisationId: own.id, departmentId: own.sales });
    }
    expect(noted.map(({ personal }) => personal?.label).slice(0, 3)).toEqual(['of Ada', 'of Bob', 'of Bob']);
  });
});
