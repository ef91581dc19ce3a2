/** What addresses of the portal name by an id that belongs to somebody: makes one of each, and says who reaches it. */
import { desc, eq, sql } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { within } from '../../../test/support/writing.ts';
import { everybody, onlyOf } from '../../base/scope.ts';
import {
  createInvite,
  createKey,
  isAtLeast,
  startSession,
  type User,
  type UserRole,
} from '../../identity/index.ts';
import { signedInBy } from '../../identity/testing/signed-in-by.ts';
import { createContacts, tryWebhook } from '../../notifications/index.ts';
import { createWebhook } from '../../notifications/webhooks.ts';
import { passkeys, sessions } from '../../storage/schema/sign-in.ts';
import { webhookDeliveries, webhooks } from '../../storage/schema/webhooks.ts';
import { insertUsage, requestIdAt } from '../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../usage/testing/sample-record.ts';
import type { TestPortal } from './test-portal.ts';

/** Where a thing is, seen from who asks: in their own department, in one beside it, in another organisation. */
export const places = ['own department', 'sibling department', 'another organisation'] as const;
export type Place = (typeof places)[number];

export interface Thing {
  /** Makes one that belongs to the person. @returns what stands for it in an address, by the names of parameters. */
  make(owner: User): Promise<Readonly<Record<string, string>>>;
  /** Whether the role reaches one of somebody else there, written by hand. */
  reaches(role: UserRole, place: Place): boolean;
  /** An id that is none. */
  readonly unknown: string;
}

const inScope = (role: UserRole, place: Place): boolean =>
  isAtLeast(role, 'platform_admin') ||
  (place !== 'another organisation' && isAtLeast(role, 'org_admin')) ||
  (place === 'own department' && isAtLeast(role, 'department_admin'));
/** What is a person's own is nobody else's, whatever they administer. */
const personal = () => false;
/** Of an organisation, whose administrators keep it; who runs the platform belongs to one too. */
const ofOrganisation = (role: UserRole, place: Place): boolean =>
  place !== 'another organisation' && isAtLeast(role, 'org_admin');
const unknownNumber = '999999999';
const unknownUuid = '01900000-0000-7000-8000-000000000000';

/** By the last parameter of the addresses that name them. */
export function thingsIn(portal: TestPortal, { db }: TestDatabase): Readonly<Record<string, Thing>> {
  async function newWebhook({ id: userId, organisationId }: User) {
    const scope =
      organisationId === null
        ? ({ whose: 'person', userId } as const)
        : ({ whose: 'organisation', organisationId } as const);
    // There may be so many of one account.
    await db.delete(webhooks);
    const made = await portal.write(within(scope, createWebhook), portal.services, {
      ...{ name: 'Hook', url: new URL('https://example.com/hook'), events: null },
      ...{ format: 'standard', enabled: true, createdBy: null },
    });
    return { scope, id: made.webhook.id };
  }
  return {
    key_id: {
      reaches: inScope,
      unknown: unknownNumber,
      async make({ id: ownerId }) {
        const made = await portal.write(within(everybody, createKey), 'sluice_', { ownerId, name: 'Key' });
        return { key_id: String(made.key.id) };
      },
    },
    request_id: {
      reaches: inScope,
      unknown: unknownUuid,
      async make({ id: userId, organisationId, departmentId }) {
        const startedAt = new Date(portal.nowMs() - 60_000);
        const requestId = requestIdAt(startedAt);
        const whose = { userId, payerId: userId, organisationId, departmentId };
        await insertUsage(db, [sampleRecord('', { requestId, startedAt, ...whose })]);
        return { request_id: requestId };
      },
    },
    session_id: {
      reaches: personal,
      unknown: unknownNumber,
      async make({ id: userId }) {
        await portal.write(startSession, userId, signedInBy('password'));
        const ofOwner = eq(sessions.userId, userId);
        const [row] = await db.select().from(sessions).where(ofOwner).orderBy(desc(sessions.id)).limit(1);
        return { session_id: String(row?.id) };
      },
    },
    passkey_id: {
      reaches: personal,
      unknown: unknownNumber,
      async make({ id: userId }) {
        const credentialId = crypto.randomUUID();
        const values = { userId, name: 'Key', credentialId, publicKey: '', signatureCounter: 0 };
        const [row] = await db.insert(passkeys).values(values).returning({ id: passkeys.id });
        return { passkey_id: String(row?.id) };
      },
    },
    contact: {
      reaches: personal,
      unknown: unknownUuid,
      async make({ id }) {
        const email = `${crypto.randomUUID()}@example.test`;
        const [made] = await portal.write(within(onlyOf(id), createContacts), [{ email }]);
        return { contact: made?.uuid ?? '' };
      },
    },
    invite_id: {
      reaches: inScope,
      unknown: unknownNumber,
      async make({ organisationId, departmentId }) {
        const inviter = await portal.newUser({ role: 'platform_owner' });
        const sent = { inviter, email: `${crypto.randomUUID()}@example.test`, role: 'member' } as const;
        const made = await portal.write(within(everybody, createInvite), {
          ...sent,
          ...{ organisationId: organisationId ?? 0, departmentId },
        });
        return { invite_id: String(made.id) };
      },
    },
    webhook_id: {
      reaches: ofOrganisation,
      unknown: unknownNumber,
      make: async (owner) => ({ webhook_id: String((await newWebhook(owner)).id) }),
    },
    delivery_id: {
      reaches: ofOrganisation,
      unknown: unknownNumber,
      async make(owner) {
        const { scope, id } = await newWebhook(owner);
        await portal.write(within(scope, tryWebhook), id);
        const ofIt = eq(webhookDeliveries.webhookId, id);
        const failedAt = new Date(portal.nowMs());
        const [row] = await db.update(webhookDeliveries).set({ failedAt }).where(ofIt).returning();
        return { webhook_id: String(id), delivery_id: String(row?.id) };
      },
    },
  };
}

const watched = [
  'api_keys',
  'invites',
  'sessions',
  'passkeys',
  'webhooks',
  'webhook_deliveries',
  'notification_contacts',
];

/** Of everything that somebody could change of a thing that is not theirs: another one after any change. */
export async function fingerprintOf({ db }: TestDatabase): Promise<string> {
  const prints = watched.map(
    (table) => `(SELECT md5(coalesce(string_agg(t::text, ';' ORDER BY id), '')) FROM ${table} t)`,
  );
  const { rows } = await db.execute<{ print: string }>(
    sql.raw(`SELECT concat_ws(' ', ${prints.join(', ')}) AS print`),
  );
  return rows[0]?.print ?? '';
}
