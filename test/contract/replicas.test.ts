/** Several processes of the program on one database: what each start does when the others do it too. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openLog } from '../../src/base/log.ts';
import { everybody } from '../../src/base/scope.ts';
import { listKeys } from '../../src/identity/index.ts';
import { loadConfiguration } from '../../src/main/configuration.ts';
import { type RunningSluice, startSluice } from '../../src/main/start.ts';
import { providerAdapters } from '../../src/providers/index.ts';
import { users } from '../../src/storage/schema/identity.ts';
import { describeOnEachDatabase, type PreparedDatabase } from '../support/databases.ts';

describeOnEachDatabase('replicas', (_openDatabase, database) => {
  // Only one process can have the embedded database; process.test.ts shows that a second is refused.
  if (database.kind === 'embedded') return;

  let prepared: PreparedDatabase;

  beforeEach(async () => {
    prepared = await database.prepare({ migrated: false });
  });
  afterEach(() => prepared.discard());

  async function start(): Promise<RunningSluice> {
    const variables = {
      PORT: '0',
      SLUICE_SECRET: 'a secret of the tests, long enough',
      ...prepared.variables,
    };
    const configuration = await loadConfiguration(variables, providerAdapters);
    return startSluice({ configuration, log: openLog({ level: 'silent' }) });
  }

  test('three that start at once on an empty database make one owner, whom one of them shows', async () => {
    const starts = await Promise.allSettled([start(), start(), start()]);
    const running = starts.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    try {
      expect(
        starts.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
      ).toEqual([]);
      const welcomes = running.flatMap(({ welcome }) => welcome ?? []);
      expect(welcomes).toHaveLength(1);
      for (const { url, services } of running) {
        expect(await services.storage.db.select().from(users)).toHaveLength(1);
        expect(await listKeys(everybody, services.storage.db, { includeRevoked: true })).toHaveLength(1);
        const headers = { authorization: `Bearer ${welcomes[0]?.token}` };
        expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
      }
    } finally {
      await Promise.all(running.map((each) => each.stop()));
    }
  });
});
