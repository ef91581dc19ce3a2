/** `npm run clients`: agents and SDKs as people have them, through a started gateway, and whether they did their work. */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StoredUsageRecord } from '../../src/usage/index.ts';
import { startTestSluice, usualModel } from '../support/sluice.ts';
import { startAgentUpstream } from './agent-upstream.ts';
import { type Agent, agents } from './agents.ts';
import { clientsFolder, findMissing, findProgram, versionOf } from './find-clients.ts';
import { type Outcome, run, say, tryOut } from './trial.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, over: { type: 'string' } } });

const words = 'The sluice gate stands open.';
const proof = 'proof.txt';
const command = `echo open > ${proof}`;

const providers = [
  ['chat-completions', { kind: 'openai', path: '/v1', settings: { protocols: ['chat-completions'] } }],
  ['messages', { kind: 'anthropic', path: '/v1' }],
  ['responses', { kind: 'openai', path: '/v1', settings: { protocols: ['responses'] } }],
  ['google', { kind: 'google', path: '/v1beta' }],
] as const;
const models = providers
  .map(([protocol]) => `agent-over-${protocol}`)
  .filter((model) => values.over === undefined || model.endsWith(values.over));

const counts = { passed: 0, failed: 0, skipped: 0 };
const upstream = startAgentUpstream();
upstream.task = { command, words };
const sluice = await startTestSluice({
  file: () => ({
    providers: providers.map(([name, { path, ...row }]) => ({
      name,
      base_url: upstream.url + path,
      credentials: [{ name: 'k1', api_key: 'upstream-secret' }],
      ...row,
    })),
    models: providers.map(([provider]) => ({
      ...usualModel,
      id: `agent-over-${provider}`,
      aliases: [],
      providers: [{ provider, upstream_id: provider === 'google' ? 'gemini-2.5-flash' : 'agent-1' }],
    })),
  }),
});
try {
  for (const agent of agents.filter(({ name }) => isWanted(name))) await tryAgent(agent);
  if (isWanted('AI SDK')) await trySdk();
} finally {
  await sluice.stop();
  await upstream.stop();
}
say(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);

function isWanted(name: string): boolean {
  return values.only === undefined || name.toLowerCase().includes(values.only.toLowerCase());
}

async function tryAgent(agent: Agent): Promise<void> {
  const program = findProgram(agent.program);
  if (program === null) {
    skip(
      agent.name,
      `${agent.program} is neither in SLUICE_CLIENTS nor on the path (package ${agent.package})`,
    );
    return;
  }
  for (const model of models) {
    await judge(`${agent.name} ${versionOf(agent.package)}, ${model}`, async (folder) => {
      const [home, project] = [join(folder, 'home'), join(folder, 'project')];
      for (const each of [home, project]) await mkdir(each, { recursive: true });
      const { token, url } = sluice;
      const setting = { url, token, model, prompt: `Run the command: ${command}`, home, project };
      for (const [file, text] of Object.entries(agent.files(setting))) {
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
      }
      const known = await recordedIds();
      const started = { cwd: project, home, variables: agent.variables(setting) };
      const { exitCode, printed } = await run([program, ...agent.arguments(setting)], started);
      const rows = await recordedSince(known);
      const written = await readFile(join(project, proof), 'utf8').catch(() => '');
      return {
        printed,
        complaints: [
          ...(exitCode === 0 ? [] : [`it ended with ${exitCode}`]),
          ...(written === 'open\n' ? [] : ['the tool was not carried out']),
          ...(printed.includes(words) ? [] : ['the last words were not shown']),
          ...complaintsAbout(rows, { model, endpoint: agent.endpoint, least: 2 }),
        ],
      };
    });
  }
}

async function trySdk(): Promise<void> {
  const missing = findMissing(['ai', '@ai-sdk/openai', '@ai-sdk/anthropic']);
  if (missing.length > 0 || clientsFolder === null) {
    skip('AI SDK', `SLUICE_CLIENTS has no ${missing.join(', ')}`);
    return;
  }
  const endpoints = {
    responses: '/v1/responses',
    'responses without store': '/v1/responses',
    'chat completions': '/v1/chat/completions',
    messages: '/v1/messages',
  };
  for (const model of models) {
    for (const [provider, endpoint] of Object.entries(endpoints)) {
      for (const streamed of [false, true]) {
        const title = `AI SDK ${versionOf('ai')}, ${provider}${streamed ? ' streamed' : ''}, ${model}`;
        await judge(title, async (folder) => {
          await symlink(clientsFolder ?? '', join(folder, 'node_modules'));
          const script = join(folder, 'ai-sdk.mjs');
          await cp(join(import.meta.dirname, 'ai-sdk.mjs'), script);
          const known = await recordedIds();
          const variables = {
            SLUICE_URL: sluice.url,
            SLUICE_TOKEN: sluice.token,
            SLUICE_MODEL: model,
            SLUICE_PROVIDER: provider,
            SLUICE_STREAMED: String(streamed),
          };
          const { printed } = await run(['node', script], { cwd: folder, home: folder, variables });
          const rows = await recordedSince(known);
          const wanted = JSON.stringify({ carriedOut: [command, command], texts: [words, words] });
          return {
            printed,
            complaints: [
              ...(printed.includes(wanted) ? [] : ['it did not carry out the tool and tell the text twice']),
              ...complaintsAbout(rows, { model, endpoint, least: 4 }),
            ],
          };
        });
      }
    }
  }
}

async function recordedIds(): Promise<ReadonlySet<string>> {
  return new Set((await sluice.usage()).map(({ requestId }) => requestId));
}

/** Only so many of the latest are read, so that their number says nothing. */
async function recordedSince(known: ReadonlySet<string>): Promise<readonly StoredUsageRecord[]> {
  return (await sluice.usage()).filter(({ requestId }) => !known.has(requestId));
}

interface WantedRows {
  readonly model: string;
  readonly endpoint: string;
  /** Calls of a tool and answers to their results. */
  readonly least: number;
}

function complaintsAbout(
  rows: readonly StoredUsageRecord[],
  { model, endpoint, least }: WantedRows,
): string[] {
  const whole = rows.filter((row) => row.outcome === 'complete' && row.endpoint === endpoint);
  return [
    ...(whole.length >= least ? [] : [`${whole.length} complete requests were recorded, not ${least}`]),
    ...rows
      .filter((row) => row.outcome !== 'complete' || row.model !== model || row.costNanoUsd === 0n)
      .map(
        (row) => `recorded: ${row.endpoint} ${row.model} ${row.outcome} ${row.errorCode} ${row.costNanoUsd}`,
      ),
  ];
}

function skip(name: string, reason: string): void {
  counts.skipped += 1;
  say(`skip  ${name}: ${reason}`);
}

async function judge(title: string, work: (folder: string) => Promise<Outcome>): Promise<void> {
  if (await tryOut(title, work)) counts.passed += 1;
  else counts.failed += 1;
}
