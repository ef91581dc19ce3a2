/** `sluice budgets …` as it is typed, against a server that runs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../../test/support/databases.ts';
import { openLog } from '../../base/log.ts';
import { everybody } from '../../base/scope.ts';
import { findKey } from '../../identity/index.ts';
import { providerAdapters } from '../../providers/index.ts';
import { departments, organisations, projects, users } from '../../storage/schema/identity.ts';
import { loadConfiguration } from '../configuration.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { typeCommand } from './testing/type-command.ts';

describeOnEachDatabase('sluice budgets', (_openDatabase, database) => {
  let running: RunningSluice;
  let variables: Readonly<Record<string, string>>;
  let discard: () => Promise<void>;
  const ids = { organisation: 0, department: 0, project: 0 };

  beforeAll(async () => {
    const prepared = await database.prepare();
    variables = { ...prepared.variables, SLUICE_SECRET: 'a secret of the tests, long enough' };
    discard = () => prepared.discard();
    const configuration = await loadConfiguration({ ...variables, PORT: '0' }, providerAdapters);
    running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
    const { db } = running.services.storage;
    const [organisation] = await db.insert(organisations).values({ slug: 'acme', name: 'Acme' }).returning();
    ids.organisation = organisation?.id ?? 0;
    const part = { organisationId: ids.organisation, name: 'Boats' };
    const [department] = await db.insert(departments).values(part).returning();
    const [project] = await db.insert(projects).values(part).returning();
    ids.department = department?.id ?? 0;
    ids.project = project?.id ?? 0;
  });
  afterAll(async () => {
    await running.stop();
    await discard();
  });

  const type = (...args: readonly string[]) => typeCommand(['budgets', ...args], variables);

  test('of a key overtake its form that was drawn before, which would write them as they were', async () => {
    const { db } = running.services.storage;
    const revision = async () => (await findKey(everybody, db, 1))?.revision ?? 0;
    const before = await revision();
    await type('set', '--key', '1', '--period', 'weekly', '--usd', '5');
    expect(await revision()).toBe(before + 1);
    await type('set', '--key', '1', '--period', 'weekly', '--usd', '5');
    expect(await revision()).toBe(before + 1);
    await type('remove', '--key', '1', '--period', 'weekly');
    expect(await revision()).toBe(before + 2);
  });

  test('are set, changed, listed and removed, of every kind of subject', async () => {
    const subjects = [
      [['--key', '1'], 'key 1'],
      [['--user', 'owner@sluice.localhost'], 'user 1'],
      [['--department', String(ids.department)], `department ${ids.department}`],
      [['--project', String(ids.project)], `project ${ids.project}`],
      [['--organisation', 'acme'], `organisation ${ids.organisation}`],
    ] as const;
    for (const [named, shown] of subjects) {
      const set = (usd: string) => type('set', ...named, '--period', 'monthly', '--usd', usd);
      expect(await set('12.50')).toBe('The budget is set.\n');
      expect(await set('12.50')).toBe('It was set so before; nothing was changed.\n');
      expect(await set('1000000000')).toBe('The budget is set.\n');
      expect(await type('list', ...named)).toContain(`${shown} `);
      expect(await type('list', ...named)).toContain('$1000000000.00');
    }
    expect(JSON.parse(await type('list', '--json'))).toHaveLength(subjects.length);
    for (const [named] of subjects) {
      expect(await type('remove', ...named, '--period', 'monthly')).toBe('The budget is removed.\n');
      expect(await type('remove', ...named, '--period', 'monthly')).toBe('There is no such budget.\n');
    }
  });

  test('of new members and keys are set, listed and removed by group, and a new key has those of its owner’s', async () => {
    const { db } = running.services.storage;
    const department = ['--department', String(ids.department)];
    const groups = [
      [['--organisation', 'acme'], `organisation ${ids.organisation}`],
      [department, `department ${ids.department}`],
    ] as const;
    const one = ['--for', 'keys', '--period', 'daily'];
    for (const [named, shown] of groups) {
      expect(await type('defaults', 'set', ...named, ...one, '--usd', '3')).toBe('The default is set.\n');
      expect(await type('defaults', 'set', ...named, ...one, '--usd', '3.00')).toContain(
        'nothing was changed',
      );
      expect(await type('defaults', 'list', ...named)).toMatch(
        new RegExp(`${shown} +keys +daily +\\$3\\.00`),
      );
    }
    await type('defaults', 'set', ...department, ...one, '--usd', '4');
    expect(JSON.parse(await type('defaults', 'list', '--json'))).toHaveLength(2);
    const place = { organisationId: ids.organisation, departmentId: ids.department };
    await db.update(users).set(place).where(eq(users.id, 1));
    const named = ['--owner', 'owner@sluice.localhost', '--name', 'within'];
    const made = JSON.parse(await typeCommand(['keys', 'create', ...named, '--json'], variables));
    const [given, ...more] = JSON.parse(await type('list', '--key', String(made.id), '--json'));
    expect([given, more]).toMatchObject([{ period: 'daily', limitUsd: '4.00' }, []]);
    for (const [which] of groups) {
      expect(await type('defaults', 'remove', ...which, ...one)).toBe('The default is removed.\n');
      expect(await type('defaults', 'remove', ...which, ...one)).toBe('There is no such default.\n');
    }
  });

  test.each([
    [['--usd', '1'], 'one of --organisation and --department'],
    [['--organisation', 'acme', '--department', '1', '--usd', '1'], 'one of --organisation and --department'],
    [['--organisation', 'nobody', '--usd', '1'], 'There is no organisation nobody.'],
    [['--department', '999', '--usd', '1'], 'There is no department 999.'],
    [['--organisation', 'acme', '--usd', '-1'], 'is not an amount'],
  ])('defaults set %j is refused in plain words', async (args, complaint) => {
    expect(await type('defaults', 'set', ...args, '--for', 'keys', '--period', 'daily')).toContain(complaint);
  });

  test.each([
    [['--usd', '1', '--period', 'daily'], 'one of --key, --user, --department, --project and --organisation'],
    [['--project', '999', '--usd', '1', '--period', 'daily'], 'There is no project 999.'],
    [['--project', 'x', '--usd', '1', '--period', 'daily'], '--project'],
    [
      ['--key', '1', '--usd', 'much', '--period', 'daily'],
      'much is not an amount: give USD between 0 and 1,000,000,000',
    ],
    [
      ['--key', '1', '--usd', '1', '--period', 'hourly'],
      '--period must be one of daily, weekly, monthly, total',
    ],
  ])('set %j is refused in plain words', async (args, complaint) => {
    expect(await type('set', ...args)).toContain(complaint);
  });
});
