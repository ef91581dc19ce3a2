/** `sluice serve`: runs until it is told to stop. */
import { openLog } from '../../base/log.ts';
import { providerAdapters } from '../../providers/index.ts';
import { writeBanner } from '../banner.ts';
import { loadConfiguration } from '../configuration.ts';
import { chooseModelToTry } from '../model-to-try.ts';
import { startSluice } from '../start.ts';

export async function serve(variables: Readonly<Record<string, string | undefined>>): Promise<void> {
  const configuration = await loadConfiguration(variables, providerAdapters);
  const { environment } = configuration;
  const log = openLog({ level: environment.logLevel });
  const running = await startSluice({ configuration, log });
  const { services, welcome, warnings, url } = running;
  process.stdout.write(
    writeBanner({
      url: environment.publicUrl ?? url,
      storage: services.storage.describe(),
      model: chooseModelToTry(services.catalogue.current()),
      welcome,
      warnings,
    }),
  );
  const signal = await nextSignal();
  log.info('stopping', { detail: signal });
  process.stderr.write('sluice: letting answers under way end; once more stops at once\n');
  void nextSignal().then(() => process.exit(1));
  await running.stop();
}

function nextSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name));
  return promise;
}
