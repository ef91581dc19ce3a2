/** A Sluice with a model over each upstream protocol, alone and with a sound provider behind it. */
import { upstreamCases } from '../matrix/upstreams.ts';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../sluice.ts';
import { startUpstream, type Upstream } from '../upstream/index.ts';
import { type FaultClient, faultClients } from './clients.ts';

export interface FaultScene {
  readonly sluice: TestSluice;
  readonly backup: Upstream;
  stop(): Promise<void>;
}

/** One of each protocol. */
const protocols = ['chat completions', 'messages', 'responses', 'generateContent', 'Converse'];
export const faultUpstreams = upstreamCases.filter(({ protocol }) => protocols.includes(protocol));

const safe = (model: string): string => `safe-${model}`;

export async function startFaultScene(variables: Readonly<Record<string, string>>): Promise<FaultScene> {
  const backup = startUpstream({ defaultAnswer: { generate: { text: 'from the backup' } } });
  const models = faultUpstreams.flatMap(({ model, upstreamModel }) => {
    const own = { provider: model, upstream_id: upstreamModel };
    const behind = { provider: 'backup', upstream_id: 'sound' };
    return [
      { ...usualModel, id: model, aliases: [], providers: [own] },
      { ...usualModel, id: safe(model), aliases: [], providers: [own, behind] },
    ];
  });
  const sluice = await startTestSluice({
    skipsPauses: true,
    file: (url) => ({
      providers: [
        {
          ...{ ...usualProvider(backup.url), name: 'backup' },
          // Sound, however long a busy machine takes: what is waited for in vain is another's.
          timeouts_ms: { first_byte: 60_000, whole_answer: 60_000, idle: 60_000 },
        },
        ...faultUpstreams.map(({ model, provider }) => ({
          name: model,
          credentials: [{ name: 'k1', api_key: 'upstream-secret' }],
          ...provider(url),
        })),
      ],
      models,
    }),
    variables,
  });
  return {
    sluice,
    backup,
    async stop() {
      await sluice.stop();
      backup.stop();
    },
  };
}

export interface FaultPair {
  readonly name: string;
  readonly client: FaultClient;
  readonly upstream: string;
  /** At a provider that is the only one. */
  readonly alone: string;
  /** With a sound provider behind it. */
  readonly safe: string;
}

export const faultPairs: readonly FaultPair[] = faultClients.flatMap((client) =>
  faultUpstreams.map(({ protocol, model }) => ({
    name: `${client.name} over ${protocol}`,
    client,
    upstream: protocol,
    alone: model,
    safe: safe(model),
  })),
);
