/** Replicas that are replaced one after the other under load: no answer fails, and each request has one row and one charge. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkBooks, listHolders } from '../../src/ledger/index.ts';
import { readMoney } from '../../src/ledger/testing/read-money.ts';
import { openStorage } from '../../src/storage/index.ts';
import { usageRecords } from '../../src/storage/schema/usage.ts';
import { type PreparedDatabase, testDatabases } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { newToken, owner, usualModel, usualProvider } from '../support/sluice.ts';
import { startUpstream, type Upstream } from '../support/upstream/index.ts';

const shared = testDatabases.find(({ kind }) => kind === 'postgres');
const token = newToken();
const clientCount = 8;
const replicaCount = 2;
const depositNanoUsd = 25_000_000_000n;
/** Longer than the load balancer below takes to notice, which asks before every request. */
const noticeMs = 1500;
const slowModel = {
  ...usualModel,
  ...{ id: 'slow', aliases: [], providers: [{ provider: 'main', upstream_id: 'slow' }] },
};
/** Between one restart and the next, so that each replica serves in between. */
const answersBetween = 40;
/** Four starts, on a machine that may be busy. */
const testTimeoutMs = 300_000;

/** An answer that its client had whole. */
interface Heard {
  readonly requestId: string;
  readonly mark: string;
}

describe.skipIf(shared === undefined)('replicas that are replaced one after the other (postgres)', () => {
  let database: PreparedDatabase;
  let upstream: Upstream;
  const replicas: SluiceProgram[] = [];
  const heard: Heard[] = [];
  const failed: string[] = [];
  let asked = 0;
  let isOver = false;

  beforeAll(async () => {
    if (shared === undefined) return;
    database = await shared.prepare();
    upstream = startUpstream();
    // Long enough that the clients do not take the processor from the replicas that start.
    upstream.byDefault({ shape: { firstDelayMs: 50, chunkDelayMs: 5 } });
    // Under way from before a replica is told to stop until after its port is closed.
    upstream.forModel('slow', { shape: { firstDelayMs: noticeMs + 1000 } });
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.discard();
    upstream?.stop();
    await database?.discard();
  });

  const start = () =>
    startProgram({
      database,
      variables: { SLUICE_DRAIN_NOTICE_MS: String(noticeMs) },
      file: {
        users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 }],
        providers: [usualProvider(upstream.url)],
        models: [usualModel, slowModel],
        keys: [{ name: 'k', token, owner }],
      },
    });

  const isHealthy = async ({ url }: SluiceProgram) => {
    try {
      return (await fetch(`${url}/health`)).ok;
    } catch {
      return false;
    }
  };

  /** As a load balancer does, by turns. */
  async function choose(): Promise<SluiceProgram> {
    const first = asked;
    for (let tries = 0; tries <= replicaCount; tries += 1) {
      const replica = replicas[(first + tries) % replicaCount];
      if (replica !== undefined && (await isHealthy(replica))) return replica;
    }
    throw new Error('no replica is healthy');
  }

  /** Who is refused a connection has sent nothing, and goes to another replica: the port can close behind the look. */
  async function post(body: object): Promise<Response> {
    for (;;) {
      const { url } = await choose();
      try {
        return await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ConnectionRefused')) throw error;
      }
    }
  }

  async function ask(): Promise<void> {
    asked += 1;
    const mark = `Question ${asked}.`;
    const stream = asked % 3 === 0;
    const response = await post({
      model: asked % 10 === 0 ? slowModel.id : usualModel.id,
      stream,
      max_tokens: 5 + (asked % 40),
      messages: [{ role: 'user', content: mark }],
    });
    const text = await response.text();
    const isWhole = response.ok && (stream ? text.includes('data: [DONE]') : text.endsWith('}'));
    if (isWhole) heard.push({ requestId: response.headers.get('x-request-id') ?? '', mark });
    else failed.push(`${response.status} ${text.slice(0, 200)}`);
  }

  async function keepAsking(): Promise<void> {
    while (!isOver) await ask().catch((error) => failed.push(String(error)));
  }

  async function untilMoreCame(): Promise<void> {
    const enough = heard.length + answersBetween;
    while (heard.length < enough && failed.length === 0) await Bun.sleep(5);
  }

  test(
    'fail no request, lose no row, and charge each once',
    async () => {
      for (let at = 0; at < replicaCount; at += 1) replicas.push(await start());
      const asking = Array.from({ length: clientCount }, keepAsking);
      try {
        for (let at = 0; at < replicaCount; at += 1) {
          await untilMoreCame();
          expect(await replicas[at]?.stop()).toBe(0);
          replicas[at] = await start();
        }
        await untilMoreCame();
      } finally {
        isOver = true;
        await Promise.all(asking);
      }
      for (const replica of replicas) expect(await replica.stop()).toBe(0);
      expect(failed).toEqual([]);
      expect(readdirSync(join(String(database.variables['SLUICE_DATA_DIR']), 'spool'))).toEqual([]);

      const storage = await openStorage(database.options);
      try {
        const rows = await storage.db.select().from(usageRecords);
        const byId = new Map(rows.map((row) => [row.requestId, row]));
        expect([rows.length, byId.size, upstream.counts.requests]).toEqual([asked, asked, asked]);
        for (const { requestId, mark } of heard) {
          const book = upstream.requests.find(({ bodyText }) => bodyText.includes(mark))?.usage;
          const counts = { inputTokens: book?.promptTokens, outputTokens: book?.completionTokens };
          expect(byId.get(requestId)).toMatchObject({ outcome: 'complete', ...counts });
        }
        const charged = rows.reduce((sum, row) => sum + row.chargedNanoUsd, 0n);
        expect(await readMoney(storage.db)).toEqual({
          depositsNanoUsd: depositNanoUsd,
          balanceNanoUsd: depositNanoUsd - charged,
          leasedNanoUsd: 0n,
        });
        expect(await checkBooks(storage.db)).toEqual([]);
        expect(await listHolders(storage.db)).toEqual([]);
      } finally {
        await storage.close();
      }
    },
    testTimeoutMs,
  );
});
