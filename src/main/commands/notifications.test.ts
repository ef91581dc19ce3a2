/** `sluice notifications status` as it is typed, and what it prints. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PreparedDatabase, usualDatabase } from '../../../test/support/databases.ts';
import { openStorage } from '../../storage/index.ts';
import { mailOutbox } from '../../storage/schema/notifications.ts';
import { typeCommand as type } from './testing/type-command.ts';

describe('notifications status', () => {
  let database: PreparedDatabase;
  const run = (...args: string[]) =>
    type(['notifications', 'status', ...args], {
      ...{ SLUICE_SECRET: 'a secret of the tests, long enough' },
      ...database.variables,
    });
  beforeAll(async () => {
    database = await usualDatabase.prepare();
    const storage = await openStorage(database.options);
    const nowMs = Date.now();
    const mail = {
      messageId: '018f0000-0000-7000-8000-000000000001',
      recipient: 'ada@example.test',
      language: 'en',
      kind: 'verify_address',
    };
    await storage.db.insert(mailOutbox).values([
      { ...mail, createdAt: new Date(nowMs - 600_000), dueAt: new Date(nowMs), lastError: '421 later' },
      { ...mail, createdAt: new Date(nowMs - 60_000), dueAt: new Date(nowMs) },
      { ...mail, createdAt: new Date(nowMs), dueAt: new Date(nowMs), sentAt: new Date(nowMs) },
    ]);
    await storage.close();
  });
  afterAll(() => database.discard());

  test('says what waits, since when, how fast it goes and what fails', async () => {
    const printed = await run();
    expect(printed).toMatch(/WAITING +OLDEST +FAILED BEFORE +LAST MINUTE +LAST HOUR +GIVEN UP IN A DAY\n/);
    expect(printed).toMatch(/\nevents to spread +0 +-/);
    expect(printed).toMatch(/\nmails +2 +1[01] min +1 +1 +1 +0\n/);
    expect(printed).toContain('At this pace the mails are out in');
    expect(printed).toContain('1 mails: 421 later');
  });

  test('prints JSON for scripts', async () => {
    const printed = await run('--json');
    expect(JSON.parse(printed)).toMatchObject({ events: { waiting: 0 }, mails: { waiting: 2, retrying: 1 } });
  });
});
