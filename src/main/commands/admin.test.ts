/** The commands as they are typed, carried out by a server that holds the embedded database, and what they print. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { describeOnEachDatabase } from '../../../test/support/databases.ts';
import { openLog } from '../../base/log.ts';
import { providerAdapters } from '../../providers/index.ts';
import { notificationEvents } from '../../storage/schema/events.ts';
import { funds, leaseHolders, leases } from '../../storage/schema/ledger.ts';
import { loadConfiguration } from '../configuration.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { typeCommand as type } from './testing/type-command.ts';

describeOnEachDatabase('a command', (_openDatabase, database) => {
  if (database.kind !== 'embedded') return;
  let running: RunningSluice;
  let variables: Readonly<Record<string, string>>;
  let discard: () => Promise<void>;

  beforeAll(async () => {
    const prepared = await database.prepare();
    variables = prepared.variables;
    discard = () => prepared.discard();
    const configuration = await loadConfiguration({ ...variables, PORT: '0' }, providerAdapters);
    running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
  });
  afterAll(async () => {
    await running.stop();
    await discard();
  });

  const owner = 'ana@example.test';

  test('the credit of a first start is told to nobody as a payment', async () => {
    const raised = await running.services.storage.db.select().from(notificationEvents);
    expect(raised.map(({ kind }) => kind).filter((kind) => kind.startsWith('payment.'))).toEqual([]);
  });

  test('makes accounts and lists them', async () => {
    const made = await type(['users', 'create', '--email', 'Ana@example.test', '--name', 'Ana'], variables);
    expect(made).toContain(`of ${owner}, member`);
    expect(made).toContain(`npx sluice keys create --owner ${owner} --name <name>`);
    const listed = await type(['users', 'list'], variables);
    expect(listed).toMatch(/^ID +E-MAIL +NAME +ROLE +STATUS +BILLING\n/);
    expect(listed).toMatch(/\d +ana@example\.test +Ana +member +active +prepaid\n/);
    expect(await type(['users', 'create', '--email', owner], variables)).toBe(
      '--email belongs to another account',
    );
  });

  test('suspends, closes and reopens an account', async () => {
    const email = 'leaver@example.test';
    await type(['users', 'create', '--email', email], variables);
    const created = await type(['keys', 'create', '--owner', email, '--name', 'ci', '--json'], variables);
    const { token } = z.object({ token: z.string() }).parse(JSON.parse(created));
    const ask = () => fetch(`${running.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    const change = (name: string) => type(['users', name, '--owner', email], variables);
    expect((await ask()).status).toBe(200);
    expect(await change('suspend')).toContain(
      `The account of ${email} is suspended: its API keys are refused.`,
    );
    expect((await ask()).status).toBe(403);
    expect(await change('reopen')).toContain(`The account of ${email} is active: `);
    expect((await ask()).status).toBe(200);
    expect(await change('close')).toContain(`The account of ${email} is archived: `);
    expect((await ask()).status).toBe(401);
    expect(await type(['users', 'suspend', '--owner', 'nobody@example.test'], variables)).toContain(
      'There is no account nobody@example.test.',
    );
  });

  test('moves the end of a promotion, and tells it as JSON too', async () => {
    const email = 'welcomed@example.test';
    await type(['users', 'create', '--email', email], variables);
    const grant = ['--owner', email, '--usd', '7', '--name', 'welcome', '--reference', 'first'];
    await type(['promotions', 'grant', ...grant], variables);
    const listed = await type(['promotions', 'list', '--owner', email, '--json'], variables);
    const [promotion] = z.array(z.object({ id: z.number() })).parse(JSON.parse(listed));
    const move = ['promotions', 'move', '--promotion', String(promotion?.id)];
    const told = await type([...move, '--expires-at', '2031-05-01T00:00:00Z', '--json'], variables);
    expect(JSON.parse(told)).toEqual({ id: promotion?.id, expiresAt: '2031-05-01T00:00:00.000Z' });
    expect(await type(move, variables)).toBe(`Promotion ${promotion?.id} ends never.\n`);
  });

  test('shows what keys are locked to and held to', async () => {
    const create = ['keys', 'create', '--owner', owner, '--name', 'ci'];
    await type([...create, '--model', 'simulator', '--model', 'x', '--requests-per-minute', '60'], variables);
    const listed = await type(['keys', 'list'], variables);
    expect(listed).toMatch(
      /ci +ana@example\.test +\S+ +active +models simulator, x +60 requests\/min +never\n/,
    );
    expect(listed).toMatch(/starter .* active +- +- +never\n/);
  });

  test.each([
    [
      ['--owner', owner, '--name', 'x', '--requests-per-minute', '0'],
      '--requests-per-minute must be at least 1',
    ],
    [['--owner', owner, '--name', ' '], '--name must have at least 1 character'],
    [['--owner', owner, '--name', 'x', '--model', ''], '--model must not be empty'],
    [
      ['--owner', owner, '--name', 'x', '--scope', 'all'],
      '--scope must be one of inference, webchat, read, account',
    ],
    [
      ['--owner', owner, '--name', 'x', '--expires-at', 'soon'],
      '--expires-at must be a date and time with a time zone, such as 2027-01-31T12:00:00Z',
    ],
    [
      ['--owner', owner, '--name', 'x', '--expires-at', '2020-01-31T12:00:00Z'],
      '--expires-at must be in the future',
    ],
  ])('%j is refused in the words that were typed', async (args, complaint) => {
    expect(await type(['keys', 'create', ...args], variables)).toBe(complaint);
  });

  test('refuses the number of a key that cannot be', async () => {
    expect(await type(['keys', 'revoke', '99999999999'], variables)).toBe(
      'the number of the key must be one that `keys list` shows',
    );
  });

  test('rotates a key once at a time, with an overlap that is said', async () => {
    const create = ['keys', 'create', '--owner', owner, '--name', 'turned', '--json'];
    const { id } = JSON.parse(await type(create, variables));
    const rotate = (...more: string[]) => type(['keys', 'rotate', String(id), ...more], variables);
    expect(await rotate('--overlap-hours', '721')).toContain('from 0 to 720');
    const rotated = await rotate();
    expect(rotated).toMatch(
      /The new token of key \d+ "turned":\n\n {2}sluice_\w{46}\n\nsluice_\w{4}…\w{4} works until/,
    );
    expect(await rotate()).toContain('End that one first');
  });

  test('gives back what a process had that is long gone, and nothing of one that lives', async () => {
    const { storage, wallets } = running.services;
    const own = await wallets.register();
    const [gone] = await storage.db
      .insert(leaseHolders)
      .values({ host: 'lost-machine', seenAt: new Date('2026-01-02T03:04:05Z') })
      .returning();
    const goneId = String(gone?.id);
    await type(['wallet', 'credit', '--owner', owner, '--usd', '5', '--reference', 'one'], variables);
    const [fund] = await storage.db
      .update(funds)
      .set({ leasedNanoUsd: 2_500_000_000n })
      .where(eq(funds.balanceNanoUsd, 5_000_000_000n))
      .returning();
    await storage.db
      .insert(leases)
      .values({ holderId: gone?.id ?? 0, fundId: fund?.id ?? 0, grantedNanoUsd: 2_500_000_000n });
    expect(await type(['wallet', 'holders'], variables)).toMatch(
      new RegExp(
        `^ID +HOST +SEEN +LEASED .*\n${own} .*\n${goneId} +lost-machine +2026-01-02\\S+ +\\$2\\.50 +-\n`,
      ),
    );
    const release = (id: string) => type(['wallet', 'release', '--holder', id], variables);
    expect(await release(String(own))).toContain(`Process ${own} on`);
    expect(await release('9999')).toContain('`wallet holders` shows those');
    expect(await release('x')).toContain('--holder must be one that `wallet holders` shows');
    expect(await release(goneId)).toContain('had, $2.50, is back');
    expect(await type(['wallet', 'check'], variables)).toContain('The books agree');
    expect(await type(['wallet', 'holders'], variables)).not.toContain('lost-machine');
  });

  test('names a mistyped option before what is missing or wrong', async () => {
    expect(await type(['keys', 'create', '--requests-per-minute', 'x', '--ownr', owner])).toContain(
      "error: unknown option '--ownr'\n(Did you mean --owner?)",
    );
    expect(await type(['keys', 'create', '--name', '--ownr'])).toContain(
      "option '--owner <email>' not specified",
    );
    expect(await type(['keys', 'create', '--requests-per-minute', 'x'])).toContain(
      "argument 'x' is invalid. It takes a whole number.",
    );
  });

  test('prints the address of the server that runs, whatever is set where it is typed', async () => {
    const elsewhere = { ...variables, PORT: '1', SLUICE_PUBLIC_URL: 'https://elsewhere.example' };
    const printed = await type(['users', 'sign-in-link', '--owner', owner], elsewhere);
    expect(printed).toContain(`  ${running.url}/sign-in/`);
    expect(printed).not.toContain('elsewhere');
  });

  test('sets budgets, shows how they stand and removes them', async () => {
    const budget = ['--user', owner, '--period', 'weekly'];
    expect(await type(['budgets', 'set', ...budget, '--usd', '2.50'], variables)).toContain('is set');
    expect(await type(['budgets', 'set', ...budget, '--usd', '2.5'], variables)).toContain('nothing was');
    const listed = await type(['budgets', 'list'], variables);
    expect(listed).toMatch(/user \d+ +weekly +\$2\.50 +\$0\.00 +\$0\.00 +\$2\.50 +\d{4}-\d\d-\d\dT00:00:00/);
    expect(await type(['budgets', 'remove', ...budget], variables)).toContain('is removed');
    expect(await type(['budgets', 'remove', ...budget], variables)).toContain('no such budget');
    expect(await type(['budgets', 'list', '--key', '99999'], variables)).toContain('There is no key 99999.');
    expect(await type(['budgets', 'set', ...budget, '--key', '1', '--usd', '1'], variables)).toContain(
      'Say whose budget it is',
    );
    expect(
      await type(['budgets', 'set', '--user', owner, '--period', 'yearly', '--usd', '1'], variables),
    ).toContain('--period must be one of daily, weekly, monthly, total');
  });
});
