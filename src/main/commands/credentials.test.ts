/** `sluice credentials …` as it is typed, carried out by a server that holds the embedded database and without one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../../test/support/databases.ts';
import { systemClock } from '../../base/clock.ts';
import { systemIds } from '../../base/ids.ts';
import { openLog } from '../../base/log.ts';
import { silentLog } from '../../base/testing/silent-log.ts';
import { providerAdapters } from '../../providers/index.ts';
import { renewalEvent, TokenLog } from '../../routing/index.ts';
import { providers } from '../../storage/schema/catalogue.ts';
import { loadConfiguration } from '../configuration.ts';
import { type RunningSluice, startSluice } from '../start.ts';
import { typeCommand } from './testing/type-command.ts';

describeOnEachDatabase('credential commands', (_openDatabase, database) => {
  let running: RunningSluice;
  let variables: Readonly<Record<string, string>>;
  let discard: () => Promise<void>;

  beforeAll(async () => {
    const prepared = await database.prepare();
    variables = { ...prepared.variables, SLUICE_SECRET: 'a secret that is long enough for a test' };
    discard = () => prepared.discard();
    const configuration = await loadConfiguration({ ...variables, PORT: '0' }, providerAdapters);
    running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
    const { storage } = running.services;
    const log = new TokenLog({ storage, clock: systemClock, ids: systemIds, log: silentLog });
    const named = { provider: 'account', keyName: 'seat-1' };
    log.add(renewalEvent(named, null));
    log.add(renewalEvent(named, { isFinal: true, waitMs: 60_000 }));
    await log.close();
    await storage.db.insert(providers).values({ name: 'quiet', kind: 'openai' });
  });
  afterAll(async () => {
    await running.stop();
    await discard();
  });

  const type = (...words: string[]) => typeCommand(['credentials', ...words], variables);

  test('list what happened, chosen by kind', async () => {
    const printed = await type('log', '--kinds', 'refresh_failed,cooldown');
    expect(printed).toMatch(/^AT +PROVIDER +CREDENTIAL +MODEL +KIND +FOR +ERROR +TIMES\n/);
    expect(printed).toMatch(/Z +account +seat-1 +refresh_failed +60 s +invalid_grant +1\n$/);
    expect(printed).not.toMatch(/ refresh /);
    expect(JSON.parse(await type('log', '--provider', 'account', '--json'))).toHaveLength(2);
    expect(await type('log', '--provider', 'quiet')).toBe('Nothing happened.\n');
  });

  test('list incidents', async () => {
    expect(await type('incidents')).toMatch(/goes on +account +seat-1 +refresh_failed +invalid_grant +1\n$/);
  });

  test('refuse what cannot be', async () => {
    expect(await type('log', '--provider', 'accuont')).toContain('There is no provider accuont: there are ');
    expect(await type('log', '--kinds', 'cooldown, errors')).toContain(
      '--kinds must be some of refresh, refresh_failed, rate_limited, cooldown, ',
    );
    expect(await type('log', '--hours', '9000')).toContain('hours');
  });
});
