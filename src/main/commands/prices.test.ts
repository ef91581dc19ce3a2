/** `sluice prices …` as it is typed, against a server that runs. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { describeOnEachDatabase } from '../../../test/support/databases.ts';
import { openLog } from '../../base/log.ts';
import { providerAdapters } from '../../providers/index.ts';
import { loadConfiguration } from '../configuration.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { addAdminCommands } from './admin.ts';
import { CommandLine } from './command-line.ts';

type Variables = Readonly<Record<string, string>>;

describeOnEachDatabase('sluice prices', (_openDatabase, database) => {
  let running: RunningSluice;
  let variables: Variables;
  let discard: () => Promise<void>;

  beforeAll(async () => {
    const prepared = await database.prepare();
    variables = { ...prepared.variables, AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_DEPLOYMENTS: 'ours' };
    const secret = 'a secret of the tests, long enough';
    variables = {
      ...variables,
      SLUICE_SECRET: secret,
      AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com',
    };
    discard = () => prepared.discard();
    const configuration = await loadConfiguration({ ...variables, PORT: '0' }, providerAdapters);
    running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
  });
  afterAll(async () => {
    await running.stop();
    await discard();
  });

  async function type(...args: readonly string[]): Promise<string> {
    let printed = '';
    const keep = (text: string | Uint8Array) => {
      printed += String(text);
      return true;
    };
    const program = new CommandLine('sluice');
    program.exitOverride().configureOutput({ writeErr: keep, writeOut: keep });
    addAdminCommands(program, variables);
    const output = spyOn(process.stdout, 'write').mockImplementation(keep);
    try {
      await program.parseAsync(['prices', ...args], { from: 'user' });
      return printed;
    } catch (error) {
      return `${printed}${error instanceof Error ? error.message : String(error)}`;
    } finally {
      output.mockRestore();
    }
  }

  const model = 'azure/ours';

  test('tells what has no price and whose keys are refused it, until it has one', async () => {
    expect(await type('unpriced')).toMatch(/azure\/ours +any provider +"starter" of owner@/);
    expect(await type('set', model, 'input=1')).toContain('a chat model with prices needs one for output');
    const set = await type('set', model, 'input=1', 'output=2.5', '--note', 'as agreed');
    expect(set).toMatch(/^Version \d+: azure\/ours costs input=1\.00 output=2\.50\.\n$/);
    expect(await type('unpriced')).toBe('Every model has a price at every provider.\n');
    while (running.services.catalogue.current().byName.get(model)?.prices == null) await Bun.sleep(1);
  });

  test('changes what is named, from its date on, and lists it', async () => {
    const set = await type('set', model, 'output=3', '--from', '2200-01-01');
    expect(set).toContain('from 2200-01-01T00:00:00.000Z costs input=1.00 output=3.00.');
    const listed = await type('list', '--model', model);
    expect(listed).toMatch(
      /azure\/ours +any +the beginning +in effect +hand +input=1\.00 output=2\.50 +as agreed\n/,
    );
    expect(listed).toMatch(/any +2200-01-01T00:00:00\.000Z +to come +hand +input=1\.00 output=3\.00\n/);
    const own = await type('set', model, 'input=9', '--provider', 'azure');
    expect(own).toContain('azure/ours at azure');
    expect(own).toContain('costs input=9.00 output=2.50.');
  });

  test('withdraws what is to come and nothing else', async () => {
    const listed = JSON.parse(await type('list', '--model', model, '--json'));
    const idOf = (state: string) => String(listed.find((each: { state: string }) => each.state === state).id);
    expect(await type('withdraw', idOf('to come'))).toContain('is withdrawn.');
    expect(await type('withdraw', idOf('in effect'))).toContain('is or was in effect and stays as it is');
    expect(await type('list', '--model', model)).not.toContain('2200');
  });

  test('says of a date that has passed that charges stay', async () => {
    expect(await type('set', model, 'input=4', '--from', '2020-01-01')).toContain('keeps its charge');
  });

  test.each([
    [['set', 'nothing', 'input=1', 'output=1'], 'There is no model nothing'],
    [['set', model, 'inputs=1'], 'inputs=1 is not a price'],
    [['set', model, 'input=1', 'input=2'], 'A meter is named twice'],
    [['set', model, 'input=cheap'], 'input: "cheap" is not an amount'],
    [['set', model, 'input=1', '--provider', 'nobody'], 'There is no provider nobody'],
    [['set', model, 'input=1', '--from', 'soon'], '--from must be a date such as 2027-01-31'],
    [['set', model, 'input=none'], 'needs one for input'],
    [['withdraw', '999999'], 'There is no version 999999'],
  ])('%j is refused in plain words', async (args, complaint) => {
    expect(await type(...args)).toContain(complaint);
  });
});
