import { expect, test } from 'bun:test';
import { z } from 'zod';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { openLog } from '../base/log.ts';
import { providerAdapters } from '../providers/index.ts';
import { loadConfiguration } from './configuration.ts';
import { askRunningServer } from './control-socket.ts';
import { startSluice } from './start.ts';

const signInLink = z.object({ path: z.string(), address: z.string() });

describeOnEachDatabase('a server that the command line asks', (_openDatabase, database) => {
  if (database.kind !== 'embedded') return;

  test.each([
    ['where it listens', {}],
    ['its public address, where it has one', { SLUICE_PUBLIC_URL: 'https://sluice.example' }],
  ])('makes a sign-in link that works, and says %s', async (_what, variables: Record<string, string>) => {
    const prepared = await database.prepare();
    const configuration = await loadConfiguration(
      { ...prepared.variables, PORT: '0', ...variables },
      providerAdapters,
    );
    const running = await startSluice({ configuration, log: openLog({ level: 'silent' }) });
    const owner = running.welcome?.ownerEmail;
    const { dataDir } = configuration.environment;
    const link = signInLink.parse(await askRunningServer(dataDir, 'users sign-in-link', { owner }));
    expect(link.address).toBe(variables['SLUICE_PUBLIC_URL'] ?? running.url);
    const headers = { accept: 'text/html' };
    const init = { method: 'POST', redirect: 'manual', headers } as const;
    const page = await fetch(`${running.url}${link.path}`, init);
    expect(page.status).toBe(303);
    // Of a command line that is newer than the server.
    const unknown = Reflect.apply(askRunningServer, undefined, [dataDir, 'users rename', {}]);
    await expect(unknown).rejects.toThrow('of another version and does not know `users rename`');
    await running.stop();
    await prepared.discard();
  });
});
