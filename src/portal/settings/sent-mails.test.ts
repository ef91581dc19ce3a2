/** What an account sees of the mails to its contacts: each with what became of it, in pages, and none of others. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { TestDatabase } from '../../../test/support/databases.ts';
import { spreadEvents } from '../../notifications/event-spreader.ts';
import { raiseEvent } from '../../storage/events.ts';
import { notificationContacts } from '../../storage/schema/contacts.ts';
import { mailOutbox } from '../../storage/schema/notifications.ts';
import { transact } from '../../storage/work.ts';
import { languages } from '../languages/language.ts';
import { type TestPortal, withTestPortal } from '../testing/test-portal.ts';

const path = '/dashboard/settings/notifications/sent';
let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

async function newReader(events: number) {
  const {
    user: { id: userId, email },
    cookie,
  } = await portal.signedIn();
  const spreadAll = async () => {
    while ((await spreadEvents(portal.services)) > 0);
  };
  for (let at = 0; at < events; at += 1) {
    // What a contact was told days ago is not counted among what it may be told today.
    if (at > 0 && at % 40 === 0) {
      await spreadAll();
      const createdAt = new Date(portal.services.clock.nowMs() - 2 * 86_400_000);
      await storage.db.update(mailOutbox).set({ createdAt }).where(eq(mailOutbox.accountId, userId));
    }
    await transact(portal.services, (work) =>
      raiseEvent(work, {
        kind: 'wallet.low',
        facts: { balance_usd: '9.50', level_usd: '10.00' },
        audience: { of: 'account', id: userId },
      }),
    );
  }
  await spreadAll();
  const look = async (query = '', language = 'en') =>
    portal.ask(`${path}${query}`, { headers: { accept: 'text/html', cookie, 'accept-language': language } });
  const mails = await storage.db
    .select()
    .from(mailOutbox)
    .where(eq(mailOutbox.accountId, userId))
    .orderBy(mailOutbox.id);
  return { userId, email, look, mails };
}

test('each mail stands there with its kind as the settings name it, and what became of it', async () => {
  const { email, look, mails } = await newReader(3);
  const [sent, failed, tried] = mails;
  const now = new Date(portal.services.clock.nowMs());
  const end = (id: number | undefined, fields: Partial<typeof mailOutbox.$inferInsert>) =>
    storage.db
      .update(mailOutbox)
      .set(fields)
      .where(eq(mailOutbox.id, id ?? 0));
  await end(sent?.id, { sentAt: now, tries: 1 });
  await end(failed?.id, {
    ...{ failedAt: now, tries: 1 },
    lastError: "Can't send mail - all recipients were rejected: 550 5.1.1 <x@y> unknown on mx7.inner.example",
  });
  await end(tried?.id, { tries: 2, lastError: 'connect ECONNREFUSED 10.1.2.3:587' });
  const { status, text } = await look();
  expect(status).toBe(200);
  expect(text).toContain(email);
  for (const said of [
    'Balance, credit or a budget is getting low',
    'the mail server answered 550 5.1.1',
    'no mail server took it, 2 tries',
    'Sent',
    'Given up',
    'Waiting',
  ]) {
    expect(text).toContain(said);
  }
  // Neither names of machines nor their addresses, which are the operator’s.
  expect(text).not.toMatch(/mx7|10\.1\.2\.3|ECONN/);
  for (const language of languages) {
    expect((await look('', language)).text).not.toMatch(/undefined|\[object/);
  }
});

test('the list comes in pages, the newest first, and says where nothing was sent', async () => {
  const { look, mails } = await newReader(51);
  const first = await look();
  expect(first.text.match(/getting low/g)).toHaveLength(50);
  const next = /href="[^"]*(\?before=\d+)"/.exec(first.text)?.[1] ?? '';
  expect(next).toBe(`?before=${mails.at(-50)?.id}`);
  expect((await look(next)).text.match(/getting low/g)).toHaveLength(1);
  expect((await look('?before=1')).text).toContain('Nothing was sent lately');
  expect((await look('?before=x')).status).toBe(422);
});

test('nobody sees those of another account, and those of a contact that is gone are gone', async () => {
  const other = await newReader(1);
  const { look, userId } = await newReader(1);
  expect((await look()).text).not.toContain(other.email);
  expect((await look()).text).toContain('getting low');
  await storage.db.delete(notificationContacts).where(eq(notificationContacts.userId, userId));
  expect((await look()).text).toContain('Nothing was sent lately');
});
