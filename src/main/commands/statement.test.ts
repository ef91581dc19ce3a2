/** `sluice wallet statement` as it is typed: what batches charged, and the requests of each. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { describeOnEachDatabase } from '../../../test/support/databases.ts';
import { openLog } from '../../base/log.ts';
import { providerAdapters } from '../../providers/index.ts';
import { requestIdAt } from '../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../usage/testing/sample-record.ts';
import { loadConfiguration } from '../configuration.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { batchWriter } from '../write-batch.ts';
import { typeCommand } from './testing/type-command.ts';

const owner = ['--owner', 'owner@sluice.localhost'];
const statement = z.array(
  z.object({
    journalId: z.int().nullable(),
    kind: z.string(),
    requests: z.int().nullable(),
    usd: z.string(),
  }),
);

describeOnEachDatabase('sluice wallet statement', (_openDatabase, database) => {
  let running: RunningSluice;
  let variables: Readonly<Record<string, string>>;
  let discard: () => Promise<void>;
  let startedAtMs: number;

  beforeAll(async () => {
    const prepared = await database.prepare();
    variables = { ...prepared.variables, SLUICE_SECRET: 'a secret that is long enough for a test' };
    discard = () => prepared.discard();
    const configuration = await loadConfiguration({ ...variables, PORT: '0' }, providerAdapters);
    running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
    await typeCommand(['wallet', 'credit', ...owner, '--usd', '5', '--reference', 'invoice 7'], variables);
    const { services } = running;
    const write = batchWriter(services.storage, services.wallets);
    startedAtMs = services.clock.nowMs() - 60_000;
    const requests = [2_000_000n, 3_000_000n, 7_000_000n].map((chargedNanoUsd, at) => {
      const startedAt = new Date(startedAtMs + at);
      const whose = { userId: 1, payerId: 1 };
      const cost = { costNanoUsd: chargedNanoUsd, chargedNanoUsd };
      return sampleRecord('', { requestId: requestIdAt(startedAt), startedAt, ...whose, ...cost });
    });
    await write(requests.slice(0, 2));
    await write(requests.slice(2));
  });
  afterAll(async () => {
    await running.stop();
    await discard();
  });

  const lines = async (...more: readonly string[]) => {
    const printed = await typeCommand(['wallet', 'statement', ...owner, '--json', ...more], variables);
    return statement.parse(JSON.parse(printed)).filter(({ kind }) => kind === 'usage');
  };

  test('has a line of usage a day, with the number of its requests', async () => {
    expect(await lines()).toMatchObject([{ journalId: null, requests: 3, usd: '-0.012' }]);
    const printed = await typeCommand(['wallet', 'statement', ...owner], variables);
    expect(printed).toMatch(/\n- +usage +\S+ +3 +-\$0\.012 /);
  });

  test('ends with --to where it is asked to, and refuses what is no moment', async () => {
    expect(await lines('--to', new Date(startedAtMs).toISOString())).toEqual([]);
    expect(await lines('--to', new Date(startedAtMs + 3_600_000).toISOString())).toMatchObject([
      { requests: 3 },
    ]);
    const refused = await typeCommand(['wallet', 'statement', ...owner, '--to', 'yesterday'], variables);
    expect(refused).toContain('must be a date such as 2027-01-31');
  });

  test('has with --batches a line a batch, whose requests the export tells by its journal', async () => {
    const batches = await lines('--batches');
    expect(batches.map(({ requests, usd }) => `${requests} ${usd}`).toSorted()).toEqual([
      '1 -0.007',
      '2 -0.005',
    ]);
    const span = [
      '--from',
      new Date(startedAtMs - 1).toISOString(),
      '--to',
      new Date(startedAtMs + 9).toISOString(),
    ];
    for (const { journalId, requests } of batches) {
      const journal = ['--journal', String(journalId)];
      const printed = await typeCommand(['usage', 'export', ...span, ...journal], variables);
      expect(printed.split('\r\n')).toHaveLength(2 + (requests ?? 0));
    }
    expect(
      (await typeCommand(['usage', 'export', ...span, '--journal', '999999'], variables)).split('\r\n'),
    ).toHaveLength(2);
    expect(await typeCommand(['usage', 'export', ...span, '--journal', 'x'], variables)).toContain(
      '--journal',
    );
  });

  test('credits a reference once: another amount is refused, and so is what was taken back since', async () => {
    const credit = (usd: string) =>
      typeCommand(['wallet', 'credit', ...owner, '--usd', usd, '--reference', 'inv-1'], variables);
    expect(await credit('5')).toBe('Credited $5.00 to owner@sluice.localhost.\n');
    expect(await credit('5')).toBe(
      'inv-1, $5.00, was credited to owner@sluice.localhost before; nothing was changed.\n',
    );
    const refused = await credit('6');
    expect(refused).toMatch(
      /^This reference is that of journal \d+, a deposit of \$5\.00, and something else/,
    );
    const journal = /journal (\d+)/.exec(refused)?.[1] ?? '';
    const printed = await typeCommand(['wallet', 'statement', ...owner], variables);
    expect(printed).toMatch(new RegExp(`\n${journal} +deposit +\\S+ +- +\\$5\\.00 +\\$\\S+ +inv-1\n`));
    const back = ['wallet', 'reverse', '--journal', journal, '--reference', 'inv-1 was wrong'];
    expect(await typeCommand(back, variables)).toContain('is reversed');
    expect(await credit('5')).toMatch(
      /which was taken back by journal \d+; nothing was changed. Use a new reference/,
    );
  });

  test('moves money by hand, once for each reference, and says so', async () => {
    await typeCommand(['users', 'create', '--email', 'payer@example.test', '--name', 'Payer'], variables);
    const wallet = (name: string, usd: string, ...more: readonly string[]) =>
      typeCommand(['wallet', name, ...owner, '--usd', usd, '--reference', `by ${name}`, ...more], variables);
    expect(await wallet('refund', '0.5')).toContain('Booked $0.50 at owner@sluice.localhost.');
    expect(await wallet('refund', '0.5')).toBe(
      'by refund, $0.50, was booked at owner@sluice.localhost before; nothing was changed.\n',
    );
    expect(await wallet('refund', '0.6')).toMatch(
      /^This reference is that of journal \d+, a refund of \$0\.50, and something else is asked for now; nothing/,
    );
    expect(await wallet('refund', '0')).toContain('give USD above 0 and at most 1,000,000');
    expect(await wallet('adjust', '-0.25', '--json')).toContain('"usd": "-0.25"');
    expect(await wallet('transfer', '1', '--to', 'payer@example.test')).toContain('Booked $1.00');
    expect(await wallet('transfer', '1', '--to', 'owner@sluice.localhost')).toContain('another account');
    const shown = await typeCommand(
      ['wallet', 'refund', ...owner, '--usd', '900', '--reference', 'too much'],
      variables,
    );
    expect(shown).toContain('can be refunded: what was paid and is neither spent nor set aside');
    const printed = await typeCommand(['wallet', 'statement', ...owner, '--json'], variables);
    const booked = statement.parse(JSON.parse(printed)).map(({ kind, usd }) => `${kind} ${usd}`);
    for (const line of ['refund -0.50', 'adjustment -0.25', 'transfer -1.00']) expect(booked).toContain(line);
    const got = await typeCommand(['wallet', 'show', '--owner', 'payer@example.test'], variables);
    expect(got).toContain('1.00');
  });

  test('of more lines than it tells says so', async () => {
    const { db } = running.services.storage;
    const ofOwner = sql`(SELECT id FROM accounts WHERE user_id = 1 AND kind = 'paid')`;
    const revenue = sql`(SELECT id FROM accounts WHERE user_id IS NULL AND kind = 'revenue')`;
    await db.execute(sql`
      WITH made AS (
        INSERT INTO journals (kind, business_key, created_at)
        SELECT 'usage', 'many ' || number, now() FROM generate_series(1, 5000) AS number RETURNING id
      )
      INSERT INTO entries (journal_id, account_id, amount_nano_usd)
      SELECT id, ${ofOwner}, -1 FROM made UNION ALL SELECT id, ${revenue}, 1 FROM made`);
    const printed = await typeCommand(['wallet', 'statement', ...owner, '--batches'], variables);
    expect(printed).toContain('Only the newest 5000 lines are shown');
    expect(await typeCommand(['wallet', 'statement', ...owner], variables)).not.toContain('Only the newest');
  });
});
