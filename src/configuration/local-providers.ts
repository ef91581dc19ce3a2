/** Providers that cost nothing: an Ollama on this machine, or where OLLAMA_HOST says, and the simulator. */
import { z } from 'zod';
import { hostKind } from '../base/addresses.ts';
import { systemClock, withinTime } from '../base/clock.ts';
import { type Meter, type ModelDeclaration, type ModelType, readPrice } from '../catalogue/index.ts';
import type { EnvironmentDeclaration, EnvironmentReading } from './environment-providers.ts';
import type { Mistake } from './mistake.ts';
import type { Variables } from './variables.ts';

const defaultHost = '127.0.0.1:11434';
const defaultPort = '11434';
/** A start must not wait for a machine that does not answer. */
const defaultLimitMs = 300;

const modelList = z.object({ data: z.array(z.object({ id: z.string().regex(/^[!-~]{1,150}$/) })).max(1000) });

const nothing: EnvironmentReading = { providers: [], models: [], mistakes: [], warnings: [] };

/**
 * Where nobody answers, nothing is declared. Where OLLAMA_HOST was set, that is worth a warning, and its models stay that are
 * known: other processes may reach it, and it may be back soon.
 */
export async function findOllama(
  variables: Variables,
  limitMs = defaultLimitMs,
): Promise<EnvironmentReading> {
  const written = variables['OLLAMA_HOST'] ?? '';
  const origin = readHost(written === '' ? defaultHost : written);
  if (origin === null) {
    return { ...nothing, mistakes: [note('expected a host such as 127.0.0.1:11434 or http://host:11434')] };
  }
  const name = 'ollama';
  const baseUrl = `${origin}/v1`;
  const ids = await listModels(origin, limitMs);
  if (ids === null) {
    if (written === '') return nothing;
    const silence = `no Ollama answered at ${origin} within ${limitMs} ms: it has the models of before, if any`;
    return { ...nothing, unheard: [{ name, baseUrl }], warnings: [note(silence)] };
  }
  return {
    ...nothing,
    providers: [{ name, kind: 'ollama', baseUrl, region: null, timeoutsMs: {}, credentials: [] }],
    models: ids.map(declareModel),
  };
}

/** As Ollama itself reads it: a scheme and a port are optional, and what it listens on everywhere is reached here. */
function readHost(written: string): string | null {
  const withScheme = /^https?:\/\//.test(written) ? written : `http://${written}`;
  const url = URL.parse(withScheme);
  if (url === null || url.username !== '' || url.search !== '' || hostKind(url.hostname) === 'closed')
    return null;
  const host = ['0.0.0.0', '[::]'].includes(url.hostname) ? '127.0.0.1' : url.hostname;
  const portWritten = /:\d+\/?$/.test(withScheme) || written.includes('://');
  const port = url.port === '' && !portWritten ? defaultPort : url.port;
  return `${url.protocol}//${host}${port === '' ? '' : `:${port}`}${url.pathname.replace(/\/+$/, '')}`;
}

async function listModels(origin: string, limitMs: number): Promise<readonly string[] | null> {
  try {
    return await withinTime(systemClock, limitMs, async (signal) => {
      const answer = await fetch(`${origin}/v1/models`, { signal, redirect: 'error' });
      const list = modelList.safeParse(await answer.json());
      return answer.ok && list.success ? [...new Set(list.data.data.map(({ id }) => id))] : null;
    });
  } catch {
    return null;
  }
}

/** After the models of the shipped list. */
const firstInDisplay = 100_000;

const declareModel = (id: string, index: number): ModelDeclaration => ({
  id: `ollama/${id}`,
  type: 'chat',
  ownedBy: 'ollama',
  aliases: [],
  contextWindow: null,
  maxOutputTokens: null,
  capabilities: [],
  prices: { input: 0n, output: 0n },
  deployments: [{ provider: 'ollama', upstreamId: id }],
  displayOrder: firstInDisplay + index,
});

const note = (message: string): Mistake => ({ where: 'OLLAMA_HOST', position: null, message });

/** The provider that needs no key: on the embedded database it is always there, so that a first request works. */
const simulator = 'simulator';

/** Listed after real models. */
const lastInDisplay = 1_000_000;

const simulatedModel = (
  type: ModelType,
  id: string,
  displayOrder: number,
  usdPerMillion: Partial<Record<Meter, string>>,
): ModelDeclaration => ({
  id,
  type,
  ownedBy: 'sluice',
  aliases: [],
  contextWindow: type === 'chat' ? 128_000 : null,
  maxOutputTokens: type === 'chat' ? 16_384 : null,
  capabilities: type === 'chat' ? ['tools'] : [],
  prices: Object.fromEntries(
    Object.entries(usdPerMillion).map(([meter, price]) => [meter, readPrice(price)]),
  ),
  deployments: [{ provider: simulator, upstreamId: id }],
  displayOrder: lastInDisplay + displayOrder,
});

export const simulatorDeclaration: EnvironmentDeclaration = {
  providers: [
    { name: simulator, kind: simulator, baseUrl: null, region: null, timeoutsMs: {}, credentials: [] },
  ],
  models: [
    simulatedModel('chat', simulator, 0, { input: '0', cached_input: '0', output: '0' }),
    // With a price, so that one can watch money move without a real provider.
    simulatedModel('chat', `${simulator}-priced`, 1, {
      input: '0.10',
      cached_input: '0.025',
      output: '0.40',
    }),
    simulatedModel('embedding', `${simulator}-embedding`, 2, { input: '0' }),
    simulatedModel('rerank', `${simulator}-rerank`, 3, { rerank_unit: '0' }),
    simulatedModel('transcription', `${simulator}-transcription`, 4, { audio_second: '0' }),
    simulatedModel('speech', `${simulator}-speech`, 5, { character: '0' }),
  ],
};
