/** What is asked: a gateway as a process of its own, with models of every type over sound, failing and no upstreams. */
import { AccountService } from '../support/account-service.ts';
import { upstreamCases } from '../support/matrix/upstreams.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { newToken, owner, usualModel, usualProvider } from '../support/sluice.ts';
import type { ReceivedRequest } from '../support/upstream/exchange.ts';
import { type FaultName, faultNames, startUpstream, type Upstream } from '../support/upstream/index.ts';

const maxBodyBytes = 4 * 1_048_576;

/** Providers whose names begin so fail on purpose: their failures are not the gateway's. */
export const failing = 'failing';

const password = 'a long enough password';
const walletUsd = 1_000_000;

export interface Setting {
  readonly program: SluiceProgram;
  readonly tokens: Tokens;
  readonly depositNanoUsd: bigint;
  stop(): Promise<void>;
}

interface Tokens {
  readonly usual: string;
  /** Of keys that are refused for one reason or another. */
  readonly others: readonly string[];
}

type Row = { readonly kind: string; readonly [field: string]: unknown };

interface ModelCase {
  readonly id: string;
  readonly type: string;
  readonly upstreamId: string;
  readonly prices: object;
  readonly provider: (url: string) => Row;
}

const tokenPrices = usualModel.prices;

const chatCases: readonly ModelCase[] = upstreamCases.map(({ model, upstreamModel, provider }) => ({
  id: model,
  type: 'chat',
  upstreamId: upstreamModel,
  prices: tokenPrices,
  provider: (url) => ({ kind: 'openai', ...provider(url) }),
}));

const openai = (url: string): Row => ({ kind: 'openai', base_url: url });

const otherCases: readonly ModelCase[] = [
  { id: 'vectors', type: 'embedding', upstreamId: 'vectors-1', prices: { input: 1 }, provider: openai },
  {
    id: 'vectors-google',
    type: 'embedding',
    upstreamId: 'gemini-embedding-001',
    prices: { input: 1 },
    provider: (url) => ({ kind: 'google', base_url: `${url.replace(/\/v1$/, '')}/v1beta` }),
  },
  ...['jina', 'cohere', 'voyage'].map((kind) => ({
    id: `ranks-${kind}`,
    type: 'rerank',
    upstreamId: kind === 'voyage' ? 'rerank-2.5' : 'ranks-1',
    prices: kind === 'cohere' ? { rerank_unit: 2000 } : { input: 1 },
    provider: (url: string) => ({ kind, base_url: url }),
  })),
  {
    id: 'ears',
    type: 'transcription',
    upstreamId: 'whisper-1',
    prices: { audio_second: 100 },
    provider: openai,
  },
  { id: 'voice', type: 'speech', upstreamId: 'voice-1', prices: { character: 15 }, provider: openai },
];

const cases: readonly ModelCase[] = [...chatCases, ...otherCases];

const simulated: readonly ModelCase[] = [
  ['chat', tokenPrices],
  ['embedding', { input: 1 }],
  ['rerank', { input: 1 }],
  ['transcription', { audio_second: 100 }],
  ['speech', { character: 15 }],
].map(([type, prices]) => ({
  id: `simulated-${type}`,
  type: String(type),
  upstreamId: 'simulator',
  prices: Object(prices),
  provider: () => ({ kind: 'simulator' }),
}));

/** By type: those that are served, whoever serves them. */
export const modelsOf = (type: string): readonly string[] => [
  ...simulated.filter((each) => each.type === type).map(({ id }) => id),
  ...cases
    .filter((each) => each.type === type)
    .flatMap(({ id }) => [id, id, `${failing}-${id}`, `safe-${id}`]),
];

/** @param seed decides which request fails in which way. */
export async function openSetting(seed: number): Promise<Setting> {
  const sound = startUpstream({ keepRequests: 0 });
  const broken = startUpstream({ keepRequests: 0 });
  failInTurns(broken, seed);
  const account = new AccountService();
  const tokens = {
    usual: newToken(),
    poor: newToken(),
    reader: newToken(),
    locked: newToken(),
    limited: newToken(),
  };
  const stopUpstreams = async () => {
    sound.stop();
    broken.stop();
    await account.stop();
  };
  try {
    const program = await startProgram({
      file: configurationOf({ sound: sound.url, broken: broken.url, account }, tokens),
      variables: { SLUICE_LOG_LEVEL: 'error', SLUICE_MAX_BODY_BYTES: String(maxBodyBytes) },
    });
    const { usual, ...others } = tokens;
    return {
      program,
      tokens: { usual, others: Object.values(others) },
      depositNanoUsd: BigInt(walletUsd) * 1_000_000_000n,
      async stop() {
        await program.discard();
        await stopUpstreams();
      },
    };
  } catch (error) {
    await stopUpstreams();
    throw error;
  }
}

interface Urls {
  readonly sound: string;
  readonly broken: string;
  readonly account: AccountService;
}

function configurationOf({ sound, broken, account }: Urls, tokens: Readonly<Record<string, string>>): object {
  const credentials = [{ name: 'k1', api_key: 'upstream-secret' }];
  const hasty = { first_byte: 1500, whole_answer: 1500, idle: 700 };
  const providers = [
    ...cases.map(({ id, provider }) => ({ name: `sound-${id}`, credentials, ...provider(sound) })),
    ...cases.map(({ id, provider }) => ({
      name: `${failing}-${id}`,
      credentials,
      timeouts_ms: hasty,
      ...provider(broken),
    })),
    { name: 'simulator', kind: 'simulator' },
    account.provider('account'),
    { ...usualProvider(sound), name: 'main' },
  ];
  const model = ({ id, type, upstreamId, prices }: ModelCase, name: string, from: readonly string[]) => ({
    ...usualModel,
    id: name,
    type,
    prices,
    aliases: [],
    capabilities: ['tools', 'vision', 'thinking', 'reasoning'],
    providers: from.map((provider) => ({
      provider: provider === 'simulator' || provider === 'account' ? provider : `${provider}-${id}`,
      upstream_id: upstreamId,
    })),
  });
  const relay: ModelCase = {
    id: 'relay',
    type: 'chat',
    upstreamId: 'relay-1',
    prices: tokenPrices,
    provider: openai,
  };
  const models = [
    usualModel,
    ...cases.flatMap((each) => [
      model(each, each.id, ['sound']),
      model(each, `${failing}-${each.id}`, [failing]),
      model(each, `safe-${each.id}`, [failing, 'sound']),
    ]),
    ...simulated.map((each) => model(each, each.id, ['simulator'])),
    model(relay, 'relay', ['account']),
  ];
  const key = (name: string, fields: object = {}) => ({ name, owner, token: tokens[name], ...fields });
  return {
    users: [
      { email: owner, password, role: 'platform_owner', wallet_usd: walletUsd },
      { email: 'poor@example.test', password, role: 'member' },
    ],
    providers,
    models,
    keys: [
      key('usual'),
      key('poor', { owner: 'poor@example.test' }),
      key('reader', { scopes: ['read'] }),
      key('locked', { allowed_models: ['over-chat'] }),
      key('limited', { requests_per_minute: 20, tokens_per_minute: 50_000 }),
    ],
  };
}

/** Stalls take their time, so that one in many is enough. */
const stalls: readonly FaultName[] = ['header_stall', 'first_token_stall', 'mid_stream_stall'];
const stallsOneIn = 25;

/** The same request fails in the same way whenever it comes; some do not fail at all. */
function failInTurns(upstream: Upstream, seed: number): void {
  const quick = [...faultNames.filter((name) => !stalls.includes(name)), null, null];
  const inTurns = [...Array.from({ length: stallsOneIn }, () => quick).flat(), ...stalls];
  const chosen = new WeakMap<object, FaultName | null>();
  const choose = (request: ReceivedRequest) => {
    const known = chosen.get(request);
    if (known !== undefined) return known;
    const at = Number(BigInt(Bun.hash(request.bodyText, seed)) % BigInt(inTurns.length));
    const fault = inTurns[at] ?? null;
    chosen.set(request, fault);
    return fault;
  };
  for (const fault of faultNames) upstream.when((request) => choose(request) === fault, { fault });
}
