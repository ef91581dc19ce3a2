/** `sluice usage …` as it is typed, carried out by a server that holds the embedded database and without one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../../test/support/databases.ts';
import { openLog } from '../../base/log.ts';
import { providerAdapters } from '../../providers/index.ts';
import { insertUsage, requestIdAt } from '../../usage/testing/insert-usage.ts';
import { sampleRecord } from '../../usage/testing/sample-record.ts';
import { loadConfiguration } from '../configuration.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { typeCommand } from './testing/type-command.ts';

describeOnEachDatabase('usage commands', (_openDatabase, database) => {
  let running: RunningSluice;
  let variables: Readonly<Record<string, string>>;
  let discard: () => Promise<void>;

  beforeAll(async () => {
    const prepared = await database.prepare();
    variables = { ...prepared.variables, SLUICE_SECRET: 'a secret that is long enough for a test' };
    discard = () => prepared.discard();
    const configuration = await loadConfiguration({ ...variables, PORT: '0' }, providerAdapters);
    running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
    const at = (minute: number) => new Date(Date.UTC(2031, 0, 2, 3, minute));
    const cameAt = (minute: number, model: string, costNanoUsd: bigint) =>
      sampleRecord('', { requestId: requestIdAt(at(minute)), startedAt: at(minute), model, costNanoUsd });
    const { db } = running.services.storage;
    const labels = { sessionId: null, endUser: 'bob\nforged \u001b[2K', tags: [] };
    await insertUsage(db, [
      ...[cameAt(1, 'big', 2_000_000_000n), cameAt(2, '=big', 1n)],
      { ...cameAt(3, 'big', 5n), userId: 1, labels },
    ]);
  });
  afterAll(async () => {
    await running.stop();
    await discard();
  });

  const span = ['--from', '2031-01-02T00:00:00Z', '--to', '2031-01-03T00:00:00Z'];

  test('sum a span', async () => {
    const printed = await typeCommand(['usage', 'report', ...span, '--by', 'model'], variables);
    expect(printed).toMatch(/^FROM +MODEL +REQUESTS +ERRORS +INPUT +OUTPUT +COST/);
    expect(printed).toMatch(/\n2031-01-02T00:00:00Z +big +2 +0 +0 +0 +\$2\.000000005/);
    const json = await typeCommand(['usage', 'report', ...span, '--model', '=big', '--json'], variables);
    expect(JSON.parse(json)).toMatchObject({
      rows: [{ requests: 1, costUsd: '0.000000001' }],
      hasMore: false,
    });
  });

  test('take days, from the beginning of one to that of another', async () => {
    const asked = async (from: string, to: string) =>
      JSON.parse(await typeCommand(['usage', 'report', '--from', from, '--to', to, '--json'], variables));
    expect(await asked('2031-01-02', '2031-01-03')).toMatchObject({ rows: [{ requests: 3 }] });
    expect(await asked('2031-01-01', '2031-01-02')).toMatchObject({ rows: [], hasMore: false });
    const exported = await typeCommand(['usage', 'export', '--from', '2031-01-02'], variables);
    expect(exported.split('\r\n')).toHaveLength(5);
  });

  test.each(['end-user', 'end_user', 'endUser'])('sum by %s, however it is written', async (by) => {
    const printed = await typeCommand(['usage', 'report', ...span, '--by', by], variables);
    expect(printed).toMatch(/^FROM +END/);
  });

  test('say what was summed where that is more than was asked for', async () => {
    const hour = ['--from', '2031-01-02T18:00:00Z', '--to', '2031-01-02T19:00:00Z'];
    const printed = await typeCommand(['usage', 'report', ...hour, '--by', 'end-user'], variables);
    expect(printed).toContain('\n2031-01-02T00:00:00.000Z ');
    expect(printed).toContain('this is of 2031-01-02T00:00:00.000Z to 2031-01-03T00:00:00.000Z');
    expect(await typeCommand(['usage', 'report', ...span], variables)).not.toContain('this is of');
  });

  test('print what clients chose as one cell, whatever it would do to a terminal', async () => {
    const printed = await typeCommand(['usage', 'report', ...span, '--by', 'end-user'], variables);
    expect(printed).toContain('bob\uFFFDforged \uFFFD[2K ');
    expect(printed).not.toContain('\u001b');
  });

  test('name those that are told by their numbers, beside the number that a filter takes', async () => {
    const printed = await typeCommand(['usage', 'report', ...span, '--by', 'user'], variables);
    expect(printed).toMatch(/^FROM +USER +NAME +REQUESTS/);
    expect(printed).toMatch(/\n\S+ +1 +owner@sluice\.localhost +1 /);
    expect(printed).toMatch(/\n\S+ +\d+ +- +2 /);
  });

  test('refuse what cannot be in the words that were typed', async () => {
    expect(await typeCommand(['usage', 'report', ...span, '--by', 'moon'], variables)).toBe(
      '--by must be one of organisation, department, project, user, payer, key, model, provider, status, tag, end-user',
    );
    expect(await typeCommand(['usage', 'report', '--from', 'soon'], variables)).toBe(
      '--from must be a date such as 2027-01-31, or a time with a zone such as 2027-01-31T12:00:00Z',
    );
  });

  test.each(['report', 'export'])('refuse a %s that ends before it begins', async (name) => {
    expect(
      await typeCommand(['usage', name, '--from', '2031-01-03', '--to', '2031-01-02'], variables),
    ).toMatch(new RegExp(`^The span of an? ${name} must end after it begins\\.$`));
  });

  test('write the request log as CSV, the newest first', async () => {
    const printed = await typeCommand(['usage', 'export', ...span], variables);
    const lines = printed.split('\r\n');
    expect(lines[0]).toStartWith('request_id,started_at,');
    expect(lines.slice(1, -1).map((line) => line.split(',').slice(1, 2))).toEqual([
      ['2031-01-02T03:03:00.000Z'],
      ['2031-01-02T03:02:00.000Z'],
      ['2031-01-02T03:01:00.000Z'],
    ]);
    expect(lines[2]).toContain(",'=big,");
    const some = await typeCommand(['usage', 'export', ...span, '--model', '=big'], variables);
    expect(some.split('\r\n')).toHaveLength(3);
  });

  test('say how large the log is', async () => {
    const printed = await typeCommand(['usage', 'size'], variables);
    expect(printed).toMatch(/^TABLE +FROM +TO +ROWS +BYTES\nusage_records_first +- +\d{4}-\d\d-01 +0 +\d+\n/);
    expect(printed).toMatch(/\nusage_records_default +- +- +3 +\d+\n/);
    expect(printed).toMatch(/\n3 requests, \d+ bytes with their sums and indexes\.\n/);
    expect(printed).toMatch(
      /\njournals +- +- +\d+ +\d+\nentries +- +- +\d+ +\d+\naccount_days +- +- +\d+ +\d+\n/,
    );
    expect(printed).toMatch(/\nThe books beside it have [1-9]\d+ bytes: /);
    expect(printed).toContain('It has not grown on any whole day of the last thirty.');
  });
});
