import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { users } from '../storage/schema/identity.ts';
import type { Storage } from '../storage/storage.ts';
import { acceptLegal, listAcceptances, mustAccept } from './legal.ts';
import {
  type Arrival,
  arriveByProvider,
  linkIdentity,
  listIdentities,
  ownerOfAddress,
  type ProviderIdentity,
  unlinkIdentity,
} from './linked-identities.ts';
import { createOrganisation } from './organisations.ts';
import { listSessions, startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { createUser, findUser, listUsers } from './users.ts';

const owners = [
  { name: 'google', label: 'Google', enforcedDomains: [] },
  { name: 'work', label: 'Acme', enforcedDomains: ['acme.test'] },
];

test('a domain belongs to its provider however the address is written, and its subdomains do not', () => {
  expect(ownerOfAddress(owners, ' A@ACME.test ')?.name).toBe('work');
  for (const email of ['a@sub.acme.test', 'a@notacme.test', 'acme.test@other.test', '']) {
    expect(ownerOfAddress(owners, email)).toBeUndefined();
  }
});

describeOnEachDatabase('somebody who comes from a provider', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let people = 0;
  const nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock: clockShowing(() => nowMs), ids: systemIds });
  });
  afterAll(() => storage.close());

  const stranger = (change: Partial<ProviderIdentity> = {}): ProviderIdentity => {
    people += 1;
    return {
      provider: 'google',
      subject: `subject-${people}`,
      email: `p${people}@example.test`,
      emailVerified: true,
      name: 'Ada',
      ...change,
    };
  };
  const arrive = (identity: ProviderIdentity, change: Partial<Arrival> = {}) =>
    write(arriveByProvider, {
      identity,
      acceptedVersion: '2031-01-01',
      organisationId: null,
      invite: null,
      language: 'fr',
      owners,
      ...change,
    });

  test('gets an account of their own once the terms are accepted, and the same one the next time', async () => {
    const { id: organisationId } = await write(createOrganisation, { name: 'Acme' });
    const identity = stranger({ email: 'New@Example.test' });
    expect(await arrive(identity, { acceptedVersion: null })).toEqual({ outcome: 'terms_needed' });
    expect(await listUsers(everybody, storage.db)).toEqual([]);
    const first = await arrive(identity, { organisationId });
    if (first.outcome !== 'registered') throw new Error(first.outcome);
    expect(first.user).toMatchObject({
      email: 'new@example.test',
      name: 'Ada',
      role: 'member',
      status: 'active',
      language: 'fr',
      organisationId,
      hasPassword: false,
      emailVerifiedAt: new Date(nowMs),
    });
    expect(await mustAccept(storage.db, first.user, '2031-01-01')).toBe(false);
    // By then the address is another one there; whose account it is does not follow it.
    const again = await arrive({ ...identity, email: 'renamed@example.test', emailVerified: false });
    expect(again).toEqual({ outcome: 'known', user: first.user });
    expect(await listIdentities(onlyOf(first.user.id), storage.db)).toMatchObject([
      { provider: 'google', email: 'renamed@example.test', lastUsedAt: new Date(nowMs) },
    ]);
  });

  test('is linked to the account with the address only where both sides verified it', async () => {
    const verified = await write(createUser, { email: 'both@example.test', role: 'member' });
    const linked = await arrive(stranger({ email: 'BOTH@example.test' }), { acceptedVersion: null });
    expect(linked).toEqual({ outcome: 'linked', user: verified });

    await write(createUser, { email: 'there@example.test', role: 'member' });
    const notThere = stranger({ email: 'there@example.test', emailVerified: false });
    expect(await arrive(notThere)).toEqual({ outcome: 'refused', because: 'unverified_there' });

    const unverified = await write(createUser, {
      email: 'here@example.test',
      role: 'member',
      status: 'unverified',
    });
    const notHere = stranger({ email: 'here@example.test' });
    expect(await arrive(notHere)).toEqual({ outcome: 'refused', because: 'unverified_here' });
    expect(await listIdentities(onlyOf(unverified.id), storage.db)).toEqual([]);
  });

  test('takes over what somebody registered at the domain of their provider and never confirmed', async () => {
    const email = 'squatted@acme.test';
    const { id: organisationId } = await write(createOrganisation, { name: 'Of a stranger' });
    const password = 'chosen by a stranger';
    const made = await write(createUser, { email, role: 'member', status: 'unverified', password });
    await storage.db.update(users).set({ organisationId }).where(eq(users.id, made.id));
    await write((work) => acceptLegal(onlyOf(made.id), work, '2030-06-01'));
    await write((work) => startSession(work, made.id, signedInBy('password')));
    const identity = stranger({ email, provider: 'work' });
    expect(await arrive(identity, { acceptedVersion: null })).toEqual({ outcome: 'terms_needed' });
    expect(await arrive({ ...identity, emailVerified: false })).toEqual({
      outcome: 'refused',
      because: 'unverified_there',
    });
    const arrived = await arrive(identity);
    expect(arrived).toMatchObject({
      outcome: 'registered',
      user: { id: made.id, status: 'active', organisationId: null, hasPassword: false },
    });
    expect(await listSessions(onlyOf(made.id), storage.db, nowMs)).toEqual([]);
    const accepted = await listAcceptances(onlyOf(made.id), storage.db);
    expect(accepted.map(({ version }) => version)).toEqual(['2031-01-01']);
    expect(await arrive(identity)).toMatchObject({ outcome: 'known', user: { id: made.id } });
  });

  test.each([{ emailVerified: false }, { email: '' }, { email: 'no address' }, { email: 'nul\0@x.test' }])(
    'makes no account of %p',
    async (change) => {
      const before = await listUsers(everybody, storage.db);
      expect(await arrive(stranger(change))).toEqual({ outcome: 'refused', because: 'unverified_there' });
      expect(await listUsers(everybody, storage.db)).toEqual(before);
    },
  );

  test('never takes the place of another identity of the same provider', async () => {
    const identity = stranger();
    await arrive(identity);
    const other = { ...identity, subject: 'another' };
    expect(await arrive(other)).toEqual({ outcome: 'refused', because: 'other_identity' });
    const elsewhere = await arrive({ ...identity, provider: 'github' });
    expect(elsewhere.outcome).toBe('linked');
  });

  test('uses the provider that their domain belongs to, and none but that', async () => {
    const identity = stranger({ email: 'a@acme.test' });
    expect(await arrive(identity)).toEqual({ outcome: 'refused', because: 'other_provider' });
    expect((await arrive({ ...identity, provider: 'work' })).outcome).toBe('registered');
    // Also one that was linked before the domain was claimed.
    const early = stranger({ email: 'early@acme.test' });
    expect((await arrive(early, { owners: [] })).outcome).toBe('registered');
    expect(await arrive(early)).toEqual({ outcome: 'refused', because: 'other_provider' });
  });

  test('makes one account when they come twice at once', async () => {
    const identity = stranger();
    const outcomes = await Promise.all([arrive(identity), arrive(identity), arrive(identity)]);
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['known', 'known', 'registered']);
  });

  describe('in the settings', () => {
    const person = () => write(createUser, { email: stranger().email, role: 'member' });
    const link = (userId: number, identity: ProviderIdentity) =>
      write(within(onlyOf(userId), linkIdentity), identity);
    const unlink = (userId: number, provider: string, providers = ['google', 'github']) =>
      write(within(onlyOf(userId), unlinkIdentity), { provider, providers });

    test('links whatever address it has, and signs in from then on', async () => {
      const { id } = await person();
      const identity = stranger({ emailVerified: false });
      await link(id, identity);
      await link(id, identity);
      expect(await arrive(identity)).toMatchObject({ outcome: 'known', user: { id } });
    });

    test('409 for an identity of somebody else, and for a second one of a provider', async () => {
      const { id } = await person();
      const { id: otherId } = await person();
      const identity = stranger();
      await link(otherId, identity);
      await expect(link(id, identity)).rejects.toMatchObject({ code: 'conflict' });
      await expect(link(otherId, stranger())).rejects.toMatchObject({ code: 'conflict' });
      expect(await listIdentities(onlyOf(id), storage.db)).toEqual([]);
    });

    test('unlinks, but never the last way in, and nobody else’s', async () => {
      const identity = stranger();
      const arrived = await arrive(identity);
      if (arrived.outcome !== 'registered') throw new Error(arrived.outcome);
      const { id } = arrived.user;
      await expect(unlink(id, 'google')).rejects.toMatchObject({ code: 'conflict' });
      await link(id, stranger({ provider: 'github' }));
      await expect(unlink((await person()).id, 'google')).rejects.toMatchObject({ code: 'not_found' });
      await unlink(id, 'google');
      expect(await listIdentities(onlyOf(id), storage.db)).toMatchObject([{ provider: 'github' }]);
      await expect(unlink(id, 'github')).rejects.toMatchObject({ code: 'conflict' });
      expect(await findUser(everybody, storage.db, id)).toMatchObject({ id });
    });

    test('takes no account at a provider that is configured no more for a way in', async () => {
      const arrived = await arrive(stranger());
      if (arrived.outcome !== 'registered') throw new Error(arrived.outcome);
      const { id } = arrived.user;
      await link(id, stranger({ provider: 'github' }));
      await expect(unlink(id, 'google', ['google'])).rejects.toMatchObject({ code: 'conflict' });
      await unlink(id, 'github', ['google']);
      expect(await listIdentities(onlyOf(id), storage.db)).toMatchObject([{ provider: 'google' }]);
    });
  });
});
