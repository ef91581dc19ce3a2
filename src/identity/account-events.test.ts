/** Another password and another address are told to webhooks, with the change itself or not at all. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { and, eq, like } from 'drizzle-orm';
import { type TestDatabase, usualDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { onlyOf } from '../base/scope.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { notificationEvents } from '../storage/schema/events.ts';
import { transact, type Work } from '../storage/work.ts';
import { changeEmail, requestEmailChange } from './email-change.ts';
import { changePassword, requestReset, resetPassword } from './password-change.ts';
import { startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { createUser } from './users.ts';

const old = 'a long enough password';
const clock = new ManualClock();
let storage: TestDatabase;
beforeAll(async () => {
  storage = await usualDatabase.open();
});
afterAll(() => storage.close());

const parts = () => ({ storage, clock, ids: systemIds });
const write = <Result>(run: (work: Work) => Promise<Result>) => transact(parts(), run);
const nothing = async () => undefined;

async function newPerson(email: string) {
  const { id } = await write((work) => createUser(work, { email, role: 'member', password: old }));
  const { token } = await write((work) => startSession(work, id, signedInBy('password')));
  const told = async () => {
    const isTheirs = and(
      eq(notificationEvents.audience, 'account'),
      eq(notificationEvents.audienceId, id),
      like(notificationEvents.kind, 'account.%'),
    );
    const rows = await storage.db.select().from(notificationEvents).where(isTheirs);
    return rows.map(({ kind, facts }) => ({ kind, facts })).filter(({ kind }) => kind !== 'account.created');
  };
  return { id, email, token, told };
}

test('a password that its owner changes', async () => {
  const { id, token, told } = await newPerson('changes@example.test');
  const change = { currentPassword: old, password: 'quite another password', sessionToken: token };
  const failing = changePassword(onlyOf(id), parts(), change, async () => {
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await told()).toEqual([]);
  await changePassword(onlyOf(id), parts(), change, nothing);
  expect(await told()).toEqual([{ kind: 'account.password_changed', facts: {} }]);
});

test('a password that is reset by a link', async () => {
  const { email, told } = await newPerson('resets@example.test');
  const asked = await write((work) => requestReset(work, email));
  const reset = { secret: asked?.reset.secret ?? '', password: 'quite another password' };
  const admission = await resetPassword(parts(), { ...reset, start: signedInBy('password') }, nothing);
  expect(admission).toBeDefined();
  expect(await told()).toEqual([{ kind: 'account.password_reset', facts: {} }]);
});

test('an address that is changed by the link in a mail', async () => {
  const { id, told } = await newPerson('moves@example.test');
  const asked = await write((work) => requestEmailChange(onlyOf(id), work, { email: 'moved@example.test' }));
  if (asked.outcome !== 'asked') throw new Error(asked.outcome);
  expect(await told()).toEqual([]);
  await write((work) => changeEmail(onlyOf(id), work, asked.token.secret));
  expect(await told()).toEqual([{ kind: 'account.email_changed', facts: {} }]);
});
