/** Asks a declared provider for something cheap with each of its credentials, and says in plain words what came of it. */
import { systemNames } from '../../base/addresses.ts';
import { systemClock, withinTime } from '../../base/clock.ts';
import { AppError, describeThrown } from '../../base/errors.ts';
import { isProxiedBy, type Proxies, readProxies } from '../../base/proxies.ts';
import type { ModelDeclaration, ProviderDeclaration } from '../../catalogue/index.ts';
import {
  type Probe,
  type ProviderAdapter,
  type ProviderTarget,
  providerAdapters,
} from '../../providers/index.ts';
import { refusalFailure } from '../../routing/index.ts';
import { Outgoing } from '../../upstream/index.ts';

export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
}

type Verdict = Omit<Finding, 'what'>;

/** For each call; a provider that is slower would fail its first clients too. */
const askTimeoutMs = 10_000;
/** Nobody reads more of what a vendor says. */
const mostWords = 300;

/** Addresses are looked at as a request's are. */
export function outgoingOf(proxies: Proxies, resolve = systemNames): Outgoing {
  const isProxied = isProxiedBy(proxies);
  return new Outgoing({ clock: systemClock, resolve, isPrivateAllowed: false, isProxied, client: null });
}

export async function examineProvider(
  provider: ProviderDeclaration,
  models: readonly ModelDeclaration[],
  outgoing = outgoingOf(readProxies({})),
): Promise<Finding[]> {
  const what = `provider ${provider.name}`;
  const adapter = providerAdapters.get(provider.kind);
  if (adapter === undefined || adapter.answer !== undefined) {
    return [{ what, state: 'ok', detail: 'answers inside this program and needs no network' }];
  }
  const { credentials } = provider;
  const secrets = credentials.length === 0 ? [null] : credentials;
  return Promise.all(
    secrets.map(async (credential): Promise<Finding> => {
      const { name, baseUrl, region, settings = {} } = provider;
      const target = { name, baseUrl, region, settings, secret: credential?.secret ?? null };
      const whose = credentials.length > 1 && credential !== null ? `${what}, key ${credential.name}` : what;
      return { what: whose, ...(await ask({ adapter, target, outgoing }, modelOf(provider, models))) };
    }),
  );
}

function modelOf({ name }: ProviderDeclaration, models: readonly ModelDeclaration[]) {
  for (const { type, deployments } of models) {
    const deployment = deployments.find(({ provider }) => provider === name);
    if (deployment !== undefined) return { upstreamId: deployment.upstreamId, type };
  }
  return null;
}

interface Asked {
  readonly adapter: ProviderAdapter;
  readonly target: ProviderTarget;
  readonly outgoing: Outgoing;
}

async function ask(examined: Asked, model: ReturnType<typeof modelOf>): Promise<Verdict> {
  const { adapter, target } = examined;
  let probes: readonly Probe[];
  try {
    probes = (await adapter.probes?.(target, model)) ?? [];
  } catch (error) {
    return problem(`cannot be asked: ${describeThrown(error)}`);
  }
  let verdict = problem('');
  for (const probe of probes) {
    const { isMissing, ...judged } = await send(probe, examined);
    verdict = judged;
    // A host that speaks the protocol may lack the list of models and have all else.
    if (!isMissing) return verdict;
  }
  return probes.length > 0
    ? verdict
    : await examineConnection(target.baseUrl ?? adapter.defaultBaseUrl, examined);
}

async function send(probe: Probe, examined: Asked): Promise<Verdict & { readonly isMissing?: true }> {
  const { adapter, target } = examined;
  const unresolved = await findUnresolved(probe.url, examined);
  if (unresolved !== null) return unresolved;
  const asked = `${probe.method} ${withoutQuery(probe.url)}`;
  try {
    const { response, text } = await withinTime(systemClock, askTimeoutMs, async (signal) => {
      const { method, headers, body } = probe;
      const asking = { method, headers, signal, ...(body !== undefined && { body }) };
      const answer = await examined.outgoing.fetch(probe.url, asking, rowOf(target));
      return { response: answer, text: await answer.text() };
    });
    const answered = { response, text, asked, probe, adapter, target };
    if (response.status !== 404 && response.status !== 405) return judge(answered);
    return { ...judgeMissing(answered), isMissing: true };
  } catch (error) {
    return problem(`${asked}: ${explainConnection(error, probe.url)}`);
  }
}

interface Answered {
  readonly response: Response;
  readonly text: string;
  readonly asked: string;
  readonly probe: Probe;
  readonly adapter: ProviderAdapter;
  readonly target: ProviderTarget;
}

function judgeMissing({ response, text, asked, probe, adapter, target }: Answered): Verdict {
  const said = readWords(response.status, text, { adapter, target }).words;
  const models = probe.isFree ? '' : ' Is upstream_id right?';
  return problem(`${asked}: ${response.status}, nothing is there (${said}). ${hintFor(probe)}${models}`);
}

function judge({ response, text, asked, probe, adapter, target }: Answered): Verdict {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const to = URL.parse(headers.get('location') ?? '', probe.url)?.origin ?? 'somewhere';
    return problem(`${asked}: ${status}, it sends elsewhere (${to}). Set base_url to where it really is.`);
  }
  if (response.ok) {
    if (isJson(text)) return { state: 'ok', detail: `${asked} answers: asked for ${probe.what}` };
    return problem(`${asked}: ${status}, but no JSON: this is no such interface. ${hintFor(probe)}`);
  }
  const { code, words: said } = readWords(status, text, { adapter, target });
  switch (code) {
    case 'upstream_rejected_credentials':
      return problem(
        target.secret === null
          ? `${asked}: ${status}, it wants a key, and the row has none (${said})`
          : `${asked}: ${status}, the key is not accepted (${said}). Is it whole, of this provider, and not revoked?`,
      );
    case 'upstream_quota_spent':
      return problem(`${asked}: ${status}, its account with the provider is out of money or quota (${said})`);
    case 'upstream_rate_limited':
    case 'upstream_overloaded':
      return { state: 'warning', detail: `${asked}: ${status}, it answers but lets nobody in now (${said})` };
    case 'upstream_failed':
      return problem(`${asked}: ${status}, the provider fails (${said})`);
    default:
      return {
        state: 'warning',
        detail: `${asked}: ${status}, reached, but what was asked is refused (${said})`,
      };
  }
}

/** What the provider says, without our secret, and what the gateway would take it for. */
function readWords(status: number, text: string, { adapter, target }: Pick<Answered, 'adapter' | 'target'>) {
  const supports = Object.values(adapter.supports(target.settings, target.baseUrl)).flat();
  const complaint = supports[0]?.protocol.readComplaint(text) ?? null;
  const { error } = refusalFailure({ status, complaint, secret: target.secret });
  const words = (error.internal ?? '').replace(/^[^:]*: /, '').slice(0, mostWords);
  return { code: error.code, words };
}

const problem = (detail: string): Verdict => ({ state: 'problem', detail });

const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Most addresses that lead nowhere have the version twice or not at all. */
function hintFor({ url }: Probe): string {
  const { pathname } = new URL(url);
  if (/\/v\d+\w*\/(?:.*\/)?v\d+\w*\//.test(pathname)) return 'Is a version in base_url too many?';
  if (!/\/v\d/.test(pathname)) return 'Should base_url end in /v1?';
  return 'Is base_url the address that the provider documents, up to what its paths begin with?';
}

/** What is examined is declared. */
const rowOf = ({ name }: ProviderTarget) => ({ name, isDeclared: true });

async function findUnresolved(url: string, { target, outgoing }: Asked): Promise<Verdict | null> {
  const { hostname } = new URL(url);
  try {
    await outgoing.admit(url, rowOf(target));
    return null;
  } catch (error) {
    if (error instanceof AppError) return problem(`${hostname}: ${error.internal ?? error.message}`);
    const code = codeOf(error);
    const why = code === 'ENOTFOUND' ? 'no such host is known' : `the name cannot be looked up (${code})`;
    return problem(`${hostname}: ${why}. Is base_url spelt right, and does this machine reach a DNS server?`);
  }
}

/** How connections fail, by the codes of the system and of OpenSSL. */
const failures: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there. Is the port right, and the server started?'],
  [
    /^(ECONNRESET|EPIPE)$/,
    'the connection was closed without an answer. Is it https that is wanted, or http?',
  ],
  [/^EPROTO$/, 'no TLS is spoken there. Is it http that is meant?'],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'the network does not lead there'],
  [
    /CERT|UNABLE_TO|SELF_SIGNED|ALTNAME/,
    'its certificate is not trusted. Name the authority that signed it in NODE_EXTRA_CA_CERTS.',
  ],
];

function explainConnection(error: unknown, url: string): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `no answer within ${askTimeoutMs / 1000} s`;
  }
  const code = codeOf(error);
  const known = failures.find(([codes]) => codes.test(code))?.[1];
  return known === undefined ? `${new URL(url).host}: ${describeThrown(error)}` : `${known} (${code})`;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown';

/** Where each request is charged to somebody, or no model is declared to ask, the connection alone is tried. */
async function examineConnection(baseUrl: string | null, examined: Asked): Promise<Verdict> {
  if (baseUrl === null || baseUrl.includes('{')) {
    return { state: 'warning', detail: 'not asked: no model of it is declared that could be' };
  }
  const unresolved = await findUnresolved(baseUrl, examined);
  if (unresolved !== null) return unresolved;
  try {
    await withinTime(systemClock, askTimeoutMs, (signal) =>
      examined.outgoing.fetch(baseUrl, { method: 'HEAD', signal }, rowOf(examined.target)),
    );
  } catch (error) {
    return problem(`${withoutQuery(baseUrl)}: ${explainConnection(error, baseUrl)}`);
  }
  const detail = `${new URL(baseUrl).host} answers; its key was not tried, since nothing free can be asked for`;
  return { state: 'ok', detail };
}
