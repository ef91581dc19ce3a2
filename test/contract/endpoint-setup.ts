/** Endpoints as the cases of all of them know them, and the declared file that one server serves them from. */
import { newToken, owner, usualModel, usualProvider } from '../support/sluice.ts';

export interface EndpointCase {
  readonly path: string;
  /** The type of its models. */
  readonly type: string;
  /** The kind of provider that serves it. */
  readonly kind: string;
  readonly prices: object;
  /** A sound request for the model; `path` too, where the model stands in it. */
  request(model: string): { readonly body: BodyInit; readonly path?: string };
  /** Its answer begins before it is whole. */
  readonly streams?: true;
  /** Of JSON unless it is a form. */
  readonly isForm?: true;
  /** Members that nobody here knows go on to the upstream. */
  readonly passesMembers?: true;
  /** How one of its errors says what is wrong. */
  readonly errors: 'openai' | 'anthropic' | 'google';
}

const keys = ['poor', 'expired', 'reader', 'modelLock', 'providerLock', 'regionLock', 'limited'] as const;
const password = 'a long enough password';

export type CaseTokens = Readonly<Record<(typeof keys)[number], string>>;

/** One token for each key; limits are used up, so each endpoint has tokens of its own. */
export const mintTokens = (): CaseTokens => ({
  poor: newToken(),
  expired: newToken(),
  reader: newToken(),
  modelLock: newToken(),
  providerLock: newToken(),
  regionLock: newToken(),
  limited: newToken(),
});

/** For each endpoint, by its number: models `sound-…`, `safe-…` with a second provider, `free-…` and `unpriced-…`. */
export function caseFile(
  cases: readonly { readonly endpoint: EndpointCase; readonly tokens: CaseTokens }[],
  urls: { readonly upstream: string; readonly backup: string },
) {
  const providers = cases.flatMap(({ endpoint: { kind } }, at) => [
    { ...usualProvider(urls.upstream), name: `main-${at}`, kind },
    { ...usualProvider(urls.backup), name: `backup-${at}`, kind },
  ]);
  const models = cases.flatMap(({ endpoint: { type, prices } }, at) => {
    const model = (name: string, fields: object = {}, names: readonly string[] = ['main']) => ({
      ...usualModel,
      type,
      prices,
      aliases: [],
      id: `${name}-${at}`,
      providers: names.map((provider) => ({
        provider: `${provider}-${at}`,
        upstream_id: `${provider}-model`,
      })),
      ...fields,
    });
    const free = Object.fromEntries(Object.keys(prices).map((unit) => [unit, 0]));
    return [
      model('sound'),
      model('safe', {}, ['main', 'backup']),
      model('free', { prices: free }),
      model('unpriced', { prices: undefined }),
      model('other', {
        type: type === 'embedding' ? 'chat' : 'embedding',
        providers: [{ provider: 'other', upstream_id: 'other-model' }],
        prices: { input: 1, output: 1 },
      }),
    ];
  });
  const ofKeys = cases.flatMap(({ tokens }, at) => {
    const key = (name: (typeof keys)[number], fields: object) => ({
      name: `${name} ${at}`,
      owner,
      token: tokens[name],
      ...fields,
    });
    return [
      key('poor', { owner: 'poor@example.test' }),
      key('expired', { expires_at: '2020-01-01T00:00:00Z' }),
      key('reader', { scopes: ['read'] }),
      key('modelLock', { allowed_models: [`free-${at}`] }),
      key('providerLock', { allowed_providers: ['nobody'] }),
      key('regionLock', { allowed_regions: ['us'] }),
      key('limited', { requests_per_minute: 1, tokens_per_minute: 5_000_000 }),
    ];
  });
  const users = [
    { email: owner, password, role: 'platform_owner', wallet_usd: 25 },
    { email: 'poor@example.test', password, role: 'member' },
  ];
  const other = { ...usualProvider(urls.upstream), name: 'other' };
  return { users, providers: [...providers, other], models, keys: ofKeys };
}
