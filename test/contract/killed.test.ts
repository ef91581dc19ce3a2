/** A program that is killed again and again in the middle of its work: what it owed, and what the next start makes of it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkBooks, listHolders } from '../../src/ledger/index.ts';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { openStorage } from '../../src/storage/index.ts';
import { apiKeys } from '../../src/storage/schema/api-keys.ts';
import { usageRecords } from '../../src/storage/schema/usage.ts';
import { describeOnEachDatabase, type PreparedDatabase } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { newToken, owner, usualModel, usualProvider } from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

const clients = Array.from({ length: 8 }, (_, number) => ({ name: `client-${number}`, token: newToken() }));
/** Answers in a life, until it is killed: at once, and under load. */
const lives = [1, 40, 90, 23];
const depositUsd = 25;
const depositNanoUsd = 25_000_000_000n;

/** An answer that its client had whole. */
interface Heard {
  readonly requestId: string;
  /** Stands in the prompt, so that the double's book of the same request is found. */
  readonly mark: string;
}

describeOnEachDatabase('a program that is killed', (_openDatabase, { prepare }) => {
  let database: PreparedDatabase;
  let upstream: Upstream;
  const heard: Heard[] = [];
  let asked = 0;
  let program: SluiceProgram | undefined;
  let isKilled = false;

  beforeAll(async () => {
    database = await prepare();
    upstream = startUpstream();
    upstream.byDefault({ shape: { firstDelayMs: 1, chunkDelayMs: 1 } });
  });
  afterAll(async () => {
    await program?.discard();
    upstream.stop();
    await database.discard();
  });

  const start = () =>
    startProgram({
      database,
      file: {
        users: [
          {
            email: owner,
            password: 'a long enough password',
            role: 'platform_owner',
            wallet_usd: depositUsd,
          },
        ],
        providers: [usualProvider(upstream.url)],
        models: [usualModel],
        keys: clients.map(({ name, token }) => ({ name, token, owner })),
      },
    });

  /** False when the program died meanwhile. */
  async function ask(url: string, { name, token }: (typeof clients)[number]): Promise<boolean> {
    asked += 1;
    const stream = asked % 2 === 0;
    const mark = `${name} asks ${asked}.`;
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: usualModel.id,
          stream,
          max_tokens: 5 + (asked % 40),
          user: name,
          messages: [{ role: 'user', content: mark }],
        }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(text);
      const isWhole = stream ? text.includes('data: [DONE]') : text.endsWith('}');
      if (isWhole) heard.push({ requestId: response.headers.get('x-request-id') ?? '', mark });
      return isWhole;
    } catch (thrown) {
      if (isKilled) return false;
      throw thrown;
    }
  }

  /** Every client asks one question after another, until so many whole answers came; then it is killed. */
  async function live(answers: number): Promise<void> {
    program = await start();
    const { url } = program;
    const until = heard.length + answers;
    isKilled = false;
    let killed: Promise<void> | undefined;
    const asking = clients.map(async (client) => {
      while (await ask(url, client)) {
        if (heard.length < until || killed !== undefined) continue;
        isKilled = true;
        killed = program?.kill();
      }
    });
    await Promise.all(asking);
    await killed;
  }

  test('owes nothing once it ran again: each request has one row, with the counts of its provider', async () => {
    for (const answers of lives) await live(answers);
    program = await start();
    await program.stop();
    expect(program.ending).toBe(0);
    expect(readdirSync(join(String(database.variables['SLUICE_DATA_DIR']), 'spool'))).toEqual([]);

    const storage = await openStorage(database.options);
    try {
      const rows = await storage.db.select().from(usageRecords);
      const byId = new Map(rows.map((row) => [row.requestId, row]));
      const missing = heard.filter(({ requestId }) => !byId.has(requestId));
      expect({ heard: heard.length, missing: missing.length }).toEqual({ heard: heard.length, missing: 0 });
      for (const { requestId, mark } of heard) {
        const book = upstream.requests.find(({ bodyText }) => bodyText.includes(mark))?.usage;
        expect(byId.get(requestId)).toMatchObject({
          outcome: 'complete',
          inputTokens: book?.promptTokens,
          outputTokens: book?.completionTokens,
        });
      }
      const keys = await storage.db.select({ id: apiKeys.id, name: apiKeys.name }).from(apiKeys);
      for (const { name } of clients) {
        const keyId = keys.find((key) => key.name === name)?.id;
        const reached = upstream.requests.filter(({ bodyText }) => bodyText.includes(`${name} asks`)).length;
        const own = rows.filter((row) => row.keyId === keyId);
        expect(new Set(own.map((row) => row.endUser))).toEqual(new Set([name]));
        const booked = own.length;
        // One more for each life at most: it was killed between the spool and the provider.
        expect(booked).toBeWithin(reached, reached + lives.length + 1);
      }
      const others = rows.filter((row) => row.outcome !== 'complete');
      expect(others.length).toBeGreaterThan(0);
      for (const row of others) {
        expect(row).toMatchObject({ outcome: 'interrupted', errorCode: 'process_died', chargedNanoUsd: 0n });
      }
      const charged = rows.reduce((sum, row) => sum + row.chargedNanoUsd, 0n);
      expect(await readMoney(storage.db)).toEqual({
        depositsNanoUsd: depositNanoUsd,
        balanceNanoUsd: depositNanoUsd - charged,
        // Those of the dead came back with what they had settled.
        leasedNanoUsd: 0n,
      });
      expect(await checkBooks(storage.db)).toEqual([]);
      expect(await listHolders(storage.db)).toEqual([]);
    } finally {
      await storage.close();
    }
  }, 400_000);
});
