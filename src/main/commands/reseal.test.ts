/** Another service secret: what was sealed under the one before is sealed anew, and a server opens it. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase, type PreparedDatabase } from '../../../test/support/databases.ts';
import { systemClock } from '../../base/clock.ts';
import { openEnvelope } from '../../base/envelope.ts';
import { systemIds } from '../../base/ids.ts';
import { upsertProviders } from '../../catalogue/index.ts';
import { openStorage } from '../../storage/index.ts';
import { providerCredentials, providers } from '../../storage/schema/catalogue.ts';
import { users } from '../../storage/schema/identity.ts';
import { mailOutbox } from '../../storage/schema/notifications.ts';
import { totpSecrets } from '../../storage/schema/sign-in.ts';
import { webhooks } from '../../storage/schema/webhooks.ts';
import { transact } from '../../storage/work.ts';
import { typeCommand } from './testing/type-command.ts';

const before = 'the secret of before, long enough';
const now = 'another secret, and long enough too';

describeOnEachDatabase('sealing anew', (_openDatabase, database) => {
  let prepared: PreparedDatabase;
  let folder: string;
  let file: string;

  beforeEach(async () => {
    prepared = await database.prepare();
    folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
    file = join(folder, 'before');
    await writeFile(file, `${before}\n`);
  });
  afterEach(async () => {
    await prepared.discard();
    await rm(folder, { recursive: true, force: true });
  });

  const type = () =>
    typeCommand(['credentials', 'reseal', '--previous-secret-file', file, '--json'], {
      ...prepared.variables,
      SLUICE_SECRET: now,
    });

  async function withStored<Result>(
    work: (parts: Awaited<ReturnType<typeof openStorage>>) => Promise<Result>,
  ) {
    const storage = await openStorage(prepared.options);
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  }

  test('opens with the secret of before, seals with the present one, and may be done twice', async () => {
    const [old, present] = [await openEnvelope(before), await openEnvelope(now)];
    await withStored(async (storage) => {
      await transact({ storage, clock: systemClock, ids: systemIds }, (work) =>
        upsertProviders({ ...work, envelope: old }, null, [
          {
            ...{ name: 'main', kind: 'openai', baseUrl: null, region: null, timeoutsMs: {} },
            credentials: ['k1', 'k2', 'k3'].map((name) => ({ name, secret: `secret of ${name}` })),
          },
        ]),
      );
      const strange = await openEnvelope('nobody knows this one, as it was lost');
      const [first] = await storage.db.select().from(providerCredentials).limit(1);
      await storage.db
        .update(providerCredentials)
        .set({ sealedSecret: await strange.seal('lost') })
        .where(eq(providerCredentials.id, first?.id ?? 0));
    });
    const credentials = { what: 'credentials of providers' };
    expect(JSON.parse(await type())[0]).toEqual({ ...credentials, resealed: 2, kept: 0, unreadable: 1 });
    expect(takeExitCode()).toBe(1);
    expect(JSON.parse(await type())[0]).toEqual({ ...credentials, resealed: 0, kept: 2, unreadable: 1 });
    expect(takeExitCode()).toBe(1);
    const opened = await withStored(async (storage) => {
      const rows = await storage.db.select().from(providerCredentials).orderBy(providerCredentials.id);
      return await Promise.all(rows.slice(1).map(({ sealedSecret }) => present.open(sealedSecret)));
    });
    expect(opened).toEqual(['secret of k2', 'secret of k3']);
  });

  test('is for all that the schema has sealed, in whatever room', async () => {
    const [old, present] = [await openEnvelope(before), await openEnvelope(now)];
    await withStored(async ({ db }) => {
      const [user] = await db.insert(users).values({ email: 'a@example.test', role: 'member' }).returning();
      const userId = user?.id ?? 0;
      const [provider] = await db.insert(providers).values({ name: 'main', kind: 'openai' }).returning();
      const credential = { providerId: provider?.id ?? 0, name: 'k', declaredHash: 'h' };
      await db
        .insert(providerCredentials)
        .values({ ...credential, sealedSecret: await old.seal('of a provider') });
      await db.insert(totpSecrets).values({ userId, sealedSecret: await old.seal('of a person') });
      const dueAt = new Date();
      const mail = {
        messageId: systemIds.requestId(),
        recipient: 'a@example.test',
        language: 'en',
        kind: 'k',
      };
      await db
        .insert(mailOutbox)
        .values({ ...mail, dueAt, createdAt: dueAt, sealedContent: await old.seal('of a mail') });
      const hook = { userId, name: 'H', url: 'https://example.com/', format: 'standard' };
      const sealed = {
        sealedSecret: await old.seal('of a webhook'),
        sealedPreviousSecret: await old.seal('of it before'),
      };
      await db.insert(webhooks).values({ ...hook, ...sealed });
    });
    const counts: unknown = JSON.parse(await type());
    expect(takeExitCode()).toBe(0);
    const once = { resealed: 1, kept: 0, unreadable: 0 };
    const parts = ['credentials of providers', 'mails that wait', 'second factors'];
    expect(counts).toEqual(
      [...parts, 'secrets of webhooks', 'former secrets of webhooks'].map((what) => ({ what, ...once })),
    );
    expect(counts).toHaveLength(await countSealedColumns());
    const opened = await withStored(async ({ db }) => {
      const [hook] = await db.select().from(webhooks);
      const sealed = [
        (await db.select().from(providerCredentials))[0]?.sealedSecret,
        (await db.select().from(mailOutbox))[0]?.sealedContent,
        (await db.select().from(totpSecrets))[0]?.sealedSecret,
        ...[hook?.sealedSecret, hook?.sealedPreviousSecret],
      ];
      return await Promise.all(sealed.map((text) => present.open(text ?? '')));
    });
    expect(opened).toEqual(['of a provider', 'of a mail', 'of a person', 'of a webhook', 'of it before']);
  });

  test('says where the secret of before is not', async () => {
    await rm(file);
    expect(await type()).toContain(`${file} cannot be read`);
  });

  test('refuses a file that cannot hold the secret of before', async () => {
    await writeFile(file, 'half of it\n');
    expect(await type()).toContain(`${file} holds fewer than 32 characters`);
  });
});

/** The exit code that the command has set, which would else be that of the tests. */
function takeExitCode(): unknown {
  const { exitCode = 0 } = process;
  process.exitCode = 0;
  return exitCode;
}

async function countSealedColumns(): Promise<number> {
  const folder = join(import.meta.dir, '../../storage/schema');
  const sources = await Promise.all(
    (await readdir(folder)).map((name) => Bun.file(join(folder, name)).text()),
  );
  return sources.join('').match(/^ +sealed\w+: text\(/gm)?.length ?? 0;
}
