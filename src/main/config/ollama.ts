/** Looks for an Ollama on this machine, or where OLLAMA_HOST says, and declares the models it has. Free of charge. */
import { z } from 'zod';
import type { ModelDeclaration } from '../../catalogue/index.ts';
import type { EnvironmentReading } from './environment-providers.ts';
import type { Mistake } from './mistake.ts';
import type { Variables } from './variables.ts';

const defaultHost = '127.0.0.1:11434';
const defaultPort = '11434';
/** A start must not wait for a machine that does not answer. */
const defaultLimitMs = 300;

const modelList = z.object({ data: z.array(z.object({ id: z.string().regex(/^[!-~]{1,150}$/) })).max(1000) });

const nothing: EnvironmentReading = { providers: [], models: [], mistakes: [], warnings: [] };

/** Where nobody answers, nothing is declared; that is worth a warning only when OLLAMA_HOST was set. */
export async function findOllama(
  variables: Variables,
  limitMs = defaultLimitMs,
): Promise<EnvironmentReading> {
  const written = variables['OLLAMA_HOST'] ?? '';
  const origin = readHost(written === '' ? defaultHost : written);
  if (origin === null) {
    return { ...nothing, mistakes: [note('expected a host such as 127.0.0.1:11434 or http://host:11434')] };
  }
  const ids = await listModels(origin, limitMs);
  if (ids === null) {
    const silence = note(`no Ollama answered at ${origin} within ${limitMs} ms: its models are left out`);
    return written === '' ? nothing : { ...nothing, warnings: [silence] };
  }
  return {
    ...nothing,
    providers: [
      {
        name: 'ollama',
        kind: 'ollama',
        baseUrl: `${origin}/v1`,
        region: null,
        timeoutsMs: {},
        credentials: [],
      },
    ],
    models: ids.map(declareModel),
  };
}

/** As Ollama itself reads it: a scheme and a port are optional, and what it listens on everywhere is reached here. */
function readHost(written: string): string | null {
  const withScheme = /^https?:\/\//.test(written) ? written : `http://${written}`;
  const url = URL.parse(withScheme);
  if (url === null || url.username !== '' || url.search !== '') return null;
  const host = ['0.0.0.0', '[::]'].includes(url.hostname) ? '127.0.0.1' : url.hostname;
  const portWritten = /:\d+\/?$/.test(withScheme) || written.includes('://');
  const port = url.port === '' && !portWritten ? defaultPort : url.port;
  return `${url.protocol}//${host}${port === '' ? '' : `:${port}`}${url.pathname.replace(/\/+$/, '')}`;
}

async function listModels(origin: string, limitMs: number): Promise<readonly string[] | null> {
  try {
    const answer = await fetch(`${origin}/v1/models`, {
      signal: AbortSignal.timeout(limitMs),
      redirect: 'error',
    });
    const list = modelList.safeParse(await answer.json());
    return answer.ok && list.success ? [...new Set(list.data.data.map(({ id }) => id))] : null;
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
