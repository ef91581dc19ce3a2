/**
 * For `npm run path-length`: starts Sluice with the upstream double behind it and asks one question as often as it is
 * told: what it runs through after the first time is what a request takes once all that is done only the first time is done.
 */
import { test } from 'bun:test';
import { openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openLog } from '../../src/base/log.ts';
import { clockShowing } from '../../src/base/testing/manual-clock.ts';
import { loadConfiguration } from '../../src/main/configuration.ts';
import { startSluice } from '../../src/main/start.ts';
import { providerAdapters } from '../../src/providers/index.ts';
import { newToken, owner, usualModel, usualProvider } from '../support/sluice.ts';
import { startUpstream } from '../support/upstream/index.ts';

const questions = {
  passthrough: { model: 'double-1', stream: false },
  'converted-stream': { model: 'claude', stream: true },
};

test('one question, asked as often as told', async () => {
  const upstream = startUpstream();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-path-'));
  const token = newToken();
  const claude = { provider: 'anthropic', upstream_id: 'claude-sonnet-4-5-20250929' };
  const file = {
    users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 }],
    providers: [
      usualProvider(upstream.url),
      { ...usualProvider(upstream.url), name: 'anthropic', kind: 'anthropic' },
    ],
    models: [usualModel, { ...usualModel, id: 'claude', aliases: [], providers: [claude] }],
    keys: [{ name: 'usual', owner, token }],
  };
  await writeFile(join(folder, 'sluice.yaml'), stringify(file));
  const variables = {
    PORT: '0',
    SLUICE_CONFIG: join(folder, 'sluice.yaml'),
    SLUICE_SECRET: 'a secret of the tests, long enough',
    SLUICE_DATA_DIR: join(folder, 'data'),
  };
  const configuration = await loadConfiguration(variables, providerAdapters);
  const log = openLog({ level: 'info', fileDescriptor: openSync('/dev/null', 'w') });
  // No timer fires, so that what goes on in the background is not taken for a part of the request.
  const clock = clockShowing(() => performance.now());
  const sluice = await startSluice({ configuration, log, clock });

  async function ask({ model, stream }: { model: string; stream: boolean }): Promise<void> {
    const response = await fetch(`${sluice.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream,
        messages: [{ role: 'user', content: 'Where does the river go?' }],
      }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
  }

  const measured = process.env['SLUICE_PATH_OF'] === 'passthrough' ? 'passthrough' : 'converted-stream';
  const times = Number(process.env['SLUICE_PATH_TIMES'] ?? 1);
  for (let asked = 0; asked < times; asked += 1) await ask(questions[measured]);
  await rm(folder, { recursive: true, force: true });
}, 120_000);
