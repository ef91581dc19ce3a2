import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, or } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../test/support/writing.ts';
import { systemIds } from '../base/ids.ts';
import { everybody, onlyOf, type Scope } from '../base/scope.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import { raiseEvent } from '../storage/events.ts';
import { apiKeys } from '../storage/schema/api-keys.ts';
import { auditEntries } from '../storage/schema/audit.ts';
import { notificationContacts, notificationPreferences } from '../storage/schema/contacts.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { invites, users } from '../storage/schema/identity.ts';
import { mailOutbox } from '../storage/schema/notifications.ts';
import { inferenceServers } from '../storage/schema/servers.ts';
import {
  legalAcceptances,
  linkedIdentities,
  oneTimeTokens,
  passkeys,
  recoveryCodes,
  sessions,
  totpSecrets,
} from '../storage/schema/sign-in.ts';
import { webhookDeliveries, webhooks } from '../storage/schema/webhooks.ts';
import type { Storage } from '../storage/storage.ts';
import { removeAccount } from './account-removal.ts';
import { createInvite } from './invites.ts';
import { keyFields } from './key.ts';
import { createKey } from './keys.ts';
import { acceptLegal } from './legal.ts';
import { linkIdentity } from './linked-identities.ts';
import { issueToken } from './one-time-tokens.ts';
import { createOrganisation } from './organisations.ts';
import { startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import type { User, UserRole } from './user.ts';
import { createUser, findUser, listUsers } from './users.ts';

describeOnEachDatabase('removing an account', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let people = 0;
  const nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await openDatabase();
    write = writerOn({ storage, clock: clockShowing(() => nowMs), ids: systemIds });
  });
  afterAll(() => storage.close());

  const person = (role: UserRole = 'member') => {
    people += 1;
    return write(createUser, { email: `p${people}@example.test`, name: `Person ${people}`, role });
  };
  const remove = (scope: Scope, user: User, actor: User, typedEmail = user.email) =>
    write(within(scope, removeAccount), { userId: user.id, typedEmail, actor });

  test('leaves nothing that names the person, and a row that the books refer to', async () => {
    const admin = await person('platform_admin');
    const user = await person();
    await write(startSession, user.id, signedInBy('password'));
    await write(issueToken, 'reset_password', user.id, { email: user.email });
    await write(within(onlyOf(user.id), acceptLegal), '2031-01-01');
    const identity = { provider: 'work', subject: 's', email: user.email, emailVerified: true, name: 'N' };
    await write(within(onlyOf(user.id), linkIdentity), identity);
    await write(
      within(onlyOf(user.id), createKey),
      'sluice_',
      keyFields.parse({ ownerId: user.id, name: 'K' }),
    );
    await storage.db.insert(totpSecrets).values({ userId: user.id, sealedSecret: 'sealed' });
    await storage.db.insert(recoveryCodes).values({ userId: user.id, codeHash: 'hash' });
    const passkey = { name: 'Key', credentialId: 'c', publicKey: 'p', signatureCounter: 0 };
    await storage.db.insert(passkeys).values({ userId: user.id, ...passkey });
    const server = { name: 'S', baseUrl: 'http://127.0.0.1:9/v1', status: 'stopped' };
    await storage.db.insert(inferenceServers).values({ userId: user.id, ...server });
    const hook = { name: 'H', url: 'https://example.com/', format: 'standard', sealedSecret: 'sealed' };
    const [webhook] = await storage.db
      .insert(webhooks)
      .values({ userId: user.id, ...hook })
      .returning();
    const audience = { of: 'account', id: user.id } as const;
    const facts = { device: 'Firefox', address: '192.0.2.7' };
    const eventId = await write(raiseEvent, { kind: 'account.new_browser', facts, audience });
    const told = { webhookId: webhook?.id ?? 0, eventId: eventId ?? 0, dueAt: new Date(nowMs) };
    await storage.db.insert(webhookDeliveries).values({ ...told, createdAt: new Date(nowMs) });
    const { id: organisationId } = await write(createOrganisation, { name: 'Mills' });
    const invite = { inviter: admin, role: 'member', organisationId, departmentId: null } as const;
    await write(within(everybody, createInvite), { ...invite, email: user.email });

    const removed = await remove(everybody, user, admin);
    expect(removed.email).toBe(user.email);
    for (const table of [
      ...[sessions, oneTimeTokens, linkedIdentities, totpSecrets],
      ...[recoveryCodes, passkeys, legalAcceptances],
      ...[notificationContacts, notificationPreferences, inferenceServers, webhooks],
    ]) {
      expect(await storage.db.select().from(table).where(eq(table.userId, user.id))).toEqual([]);
    }
    expect(await storage.db.select().from(webhookDeliveries)).toEqual([]);
    const events = await storage.db.select().from(notificationEvents);
    expect(events.filter(({ audienceId }) => audienceId === user.id)).toEqual([]);
    expect(await storage.db.select().from(apiKeys).where(eq(apiKeys.ownerId, user.id))).toEqual([]);
    expect(await storage.db.select().from(invites).where(eq(invites.email, user.email))).toEqual([]);
    const [row] = await storage.db.select().from(users).where(eq(users.id, user.id));
    expect(row?.email).toMatch(/^[0-9a-f]{32}@removed\.invalid$/);
    expect(row).toMatchObject({ name: '', status: 'archived', role: 'member', removedAt: new Date(nowMs) });
    const about = or(eq(auditEntries.userId, user.id), eq(auditEntries.actorId, user.id));
    const entries = await storage.db.select().from(auditEntries).where(about);
    expect(entries.length).toBeGreaterThan(1);
    expect(JSON.stringify([row, entries])).not.toMatch(/p\d+@example|Person/);
    expect(await findUser(everybody, storage.db, user.id)).toBeUndefined();
    expect((await listUsers(everybody, storage.db)).map(({ id }) => id)).not.toContain(user.id);
    await expect(remove(everybody, user, admin)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('takes along what was still to be mailed to the person, and not what others have sent to their address', async () => {
    const [user, other] = [await person(), await person()];
    const theirs = { userId: other.id, email: user.email };
    const [contact] = await storage.db.insert(notificationContacts).values(theirs).returning();
    const [own] = await storage.db
      .select()
      .from(notificationContacts)
      .where(eq(notificationContacts.userId, user.id));
    const eventOf = ({ id }: User) =>
      write(raiseEvent, { kind: 'account.created', facts: {}, audience: { of: 'account', id } });
    const mail = (kind: string) => ({
      ...{ recipient: user.email, messageId: systemIds.requestId(), language: 'en', kind },
      ...{ dueAt: new Date(nowMs), createdAt: new Date(nowMs) },
    });
    await storage.db.insert(mailOutbox).values([
      { ...mail('reset_password'), sealedContent: 'sealed' },
      { ...mail('own event'), eventId: await eventOf(user), contactId: own?.id, accountId: user.id },
      { ...mail('of another'), eventId: await eventOf(other), contactId: contact?.id, accountId: other.id },
    ]);
    await remove(onlyOf(user.id), user, user);
    const left = await storage.db.select().from(mailOutbox).where(eq(mailOutbox.recipient, user.email));
    expect(left.map(({ kind }) => kind)).toEqual(['of another']);
  });

  test('still tells the address before of its change, which no more belongs to the account', async () => {
    const user = await person();
    const mail = (kind: string, recipient: string) => ({
      ...{ recipient, messageId: systemIds.requestId(), language: 'en', kind, accountId: user.id },
      ...{ dueAt: new Date(nowMs), createdAt: new Date(nowMs) },
    });
    await storage.db
      .insert(mailOutbox)
      .values([
        mail('address_changed', 'before@example.test'),
        mail('password_changed', 'before@example.test'),
        mail('address_changed', user.email),
      ]);
    await remove(onlyOf(user.id), user, user);
    const left = await storage.db.select().from(mailOutbox);
    const ofThese = left.filter(({ recipient }) => ['before@example.test', user.email].includes(recipient));
    expect(ofThese).toMatchObject([
      { kind: 'address_changed', recipient: 'before@example.test', accountId: null },
    ]);
  });

  test('is for oneself and for who stands above, within their scope', async () => {
    const { id: organisationId } = await write(createOrganisation, { name: 'Own' });
    const [owner, admin, peer, member, stranger] = [
      ...[await person('org_owner'), await person('org_admin'), await person('org_admin')],
      ...[await person(), await person()],
    ] as const;
    for (const { id } of [owner, admin, peer, member]) {
      await storage.db.update(users).set({ organisationId }).where(eq(users.id, id));
    }
    const own: Scope = { whose: 'organisation', organisationId };
    await expect(remove(own, peer, admin)).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(remove(own, owner, admin)).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(remove(own, stranger, admin)).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(onlyOf(member.id), admin, member)).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(own, member, admin, 'other@example.test')).rejects.toMatchObject({
      code: 'validation_failed',
      param: 'email',
    });
    expect(await findUser(everybody, storage.db, member.id)).toBeDefined();
    await remove(own, member, admin);
    await remove(onlyOf(peer.id), peer, peer);
    expect(await findUser(everybody, storage.db, peer.id)).toBeUndefined();
    expect(await findUser(everybody, storage.db, owner.id)).toBeDefined();
  });
});
