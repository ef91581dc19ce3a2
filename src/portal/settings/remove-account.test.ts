/** That nothing of a person stays in any room. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq, or } from 'drizzle-orm';
import { usualDatabase } from '../../../test/support/databases.ts';
import { type Write, within, writerOn } from '../../../test/support/writing.ts';
import { systemIds } from '../../base/ids.ts';
import { everybody, onlyOf } from '../../base/scope.ts';
import { clockShowing } from '../../base/testing/manual-clock.ts';
import { createInvite } from '../../identity/invites.ts';
import { keyFields } from '../../identity/key.ts';
import { createKey } from '../../identity/keys.ts';
import { acceptLegal } from '../../identity/legal.ts';
import { linkIdentity } from '../../identity/linked-identities.ts';
import { issueToken } from '../../identity/one-time-tokens.ts';
import { createOrganisation } from '../../identity/organisations.ts';
import { startSession } from '../../identity/sessions.ts';
import { signedInBy } from '../../identity/testing/signed-in-by.ts';
import { createUser, findUser, listUsers } from '../../identity/users.ts';
import { raiseEvent } from '../../storage/events.ts';
import { apiKeys } from '../../storage/schema/api-keys.ts';
import { auditEntries } from '../../storage/schema/audit.ts';
import { notificationContacts, notificationPreferences } from '../../storage/schema/contacts.ts';
import { notificationEvents } from '../../storage/schema/events.ts';
import { invites, users } from '../../storage/schema/identity.ts';
import { inferenceServers } from '../../storage/schema/servers.ts';
import {
  legalAcceptances,
  linkedIdentities,
  oneTimeTokens,
  passkeys,
  recoveryCodes,
  sessions,
  totpSecrets,
} from '../../storage/schema/sign-in.ts';
import { webhookDeliveries, webhooks } from '../../storage/schema/webhooks.ts';
import type { Storage } from '../../storage/storage.ts';
import { removeEverywhere } from './remove-account.ts';

describe('removing an account', () => {
  let storage: Storage;
  let write: Write;
  const nowMs = Date.UTC(2031, 0, 1);
  beforeAll(async () => {
    storage = await usualDatabase.open();
    write = writerOn({ storage, clock: clockShowing(() => nowMs), ids: systemIds });
  });
  afterAll(() => storage.close());

  test('leaves nothing that names the person, and a row that the books refer to', async () => {
    const admin = await write(createUser, {
      ...{ email: 'p1@example.test', name: 'Person 1', role: 'platform_admin' },
    });
    const user = await write(createUser, { email: 'p2@example.test', name: 'Person 2', role: 'member' });
    const removal = { userId: user.id, typedEmail: user.email, actor: admin };
    const remove = () => write(within(everybody, removeEverywhere), removal);
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

    const removed = await remove();
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
    await expect(remove()).rejects.toMatchObject({ code: 'not_found' });
  });
});
