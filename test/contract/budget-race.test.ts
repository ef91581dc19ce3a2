/** Requests at the same moment against a budget that pays for some of them, at one server and at three on one database. */
import { describe, expect, test } from 'bun:test';
import { writeUsd } from '../../src/base/money.ts';
import { checkBooks, listBudgets } from '../../src/ledger/index.ts';
import { testDatabases } from '../support/databases.ts';
import {
  newToken,
  owner,
  startTestSluice,
  type TestSluice,
  usualModel,
  usualProvider,
} from '../support/sluice.ts';

const token = newToken();
/** Speech costs what its text says beforehand, so that what is set aside for a request is what it costs. */
const input = 'Where does the river go?';
const asked = { model: 'speaks', input, voice: 'alloy' };
const costNanoUsd = 15_000n * BigInt(input.length);
const passing = 7;
const count = 30;

/** Between servers and their provider: lets nothing through until it is opened, so that all that pass hold at once. */
class Gate {
  reached = 0;
  readonly #opened = Promise.withResolvers<void>();
  readonly #target: string;
  readonly #server: ReturnType<typeof Bun.serve>;

  constructor(target: string) {
    this.#target = target;
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (http) => this.#pass(http),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  open(): void {
    this.#opened.resolve();
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #pass(http: Request): Promise<Response> {
    this.reached += 1;
    const body = await http.arrayBuffer();
    await this.#opened.promise;
    const { pathname } = new URL(http.url);
    const headers = new Headers(http.headers);
    headers.delete('host');
    return await fetch(`${this.#target}${pathname}`, { method: 'POST', headers, body });
  }
}

describe('a budget that pays for some of the requests at the same moment', () => {
  // Up to four servers are started, on a machine that may be busy.
  const testTimeoutMs = 180_000;
  for (const database of testDatabases) {
    // Only one process can have the embedded database.
    const servers = database.kind === 'postgres' ? [1, 3] : [1];
    const title = `lets exactly so many pass, at %i servers (${database.kind})`;
    test.each(servers)(
      title,
      async (serverCount) => {
        // Less by a nano-dollar than one more costs.
        const limitNanoUsd = costNanoUsd * BigInt(passing + 1) - 1n;
        const prepared = await database.prepare();
        const gates: Gate[] = [];
        const sluices: TestSluice[] = [];
        try {
          while (sluices.length < serverCount) {
            sluices.push(
              await startTestSluice({
                database: {
                  ...database,
                  prepare: async () => ({ ...prepared, discard: async () => undefined }),
                },
                file: (url) => ({
                  ...fileBehind(url, gates),
                  budgets: [{ key: 'raced', period: 'total', usd: writeUsd(limitNanoUsd) }],
                }),
              }),
            );
          }
          const reached = () => gates[0]?.reached ?? 0;
          let refused = 0;
          const answers = Array.from({ length: count }, async (_, at) => {
            const sluice = sluices[at % serverCount];
            for (;;) {
              const answer = await sluice?.post('/v1/audio/speech', asked, {
                authorization: `Bearer ${token}`,
              });
              const text = (await answer?.text()) ?? '';
              if (answer?.status === 200) return '200';
              // A server too busy to give back in time what it has free: who is refused asks again, as clients do.
              if (answer?.status === 402 && reached() < passing) continue;
              refused += 1;
              return `${answer?.status} ${JSON.parse(text).error.code}`;
            }
          });
          // All that pass are set aside for at this moment.
          while (reached() + refused < count) await new Promise((resolve) => setImmediate(resolve));
          gates[0]?.open();
          const statuses = (await Promise.all(answers)).toSorted();
          expect(statuses).toEqual([
            ...Array.from({ length: passing }, () => '200'),
            ...Array.from({ length: count - passing }, () => '402 budget_exceeded'),
          ]);
          for (const { running } of sluices) await running.services.settlement.flush();
          const [first] = sluices;
          const { db } = first?.running.services.storage ?? {};
          if (db === undefined) throw new Error('no server was started');
          const rows = (await first?.usage())?.filter(({ outcome }) => outcome === 'complete') ?? [];
          expect(rows).toHaveLength(passing);
          const spentNanoUsd = costNanoUsd * BigInt(passing);
          expect(rows.reduce((sum, row) => sum + row.costNanoUsd, 0n)).toBe(spentNanoUsd);
          expect(await listBudgets(db, 0)).toMatchObject([{ spentNanoUsd, limitNanoUsd }]);
          expect(await checkBooks(db)).toEqual([]);
        } finally {
          gates[0]?.open();
          for (const sluice of sluices) await sluice.stop();
          await gates[0]?.stop();
          await prepared.discard();
        }
      },
      testTimeoutMs,
    );
  }
});

/** Of all servers the same gate. */
function fileBehind(upstreamUrl: string, gates: Gate[]) {
  const gate = gates[0] ?? new Gate(upstreamUrl);
  gates[0] = gate;
  return {
    providers: [usualProvider(gate.url)],
    models: [
      {
        ...usualModel,
        ...{ id: 'speaks', type: 'speech', prices: { character: 15 }, aliases: [] },
        providers: [{ provider: 'main', upstream_id: 'speaks-upstream' }],
      },
    ],
    keys: [{ name: 'raced', owner, token }],
  };
}
