/** What somebody wants the catalogue to say, and the rules it must keep before a database is asked. */
import { hostKind } from '../base/addresses.ts';
import type { DataClaim, Quantization } from '../base/data-policy.ts';
import type { FieldIssue } from '../base/errors.ts';
import type { Capability, ModelType, Ordering, Prices } from './model.ts';
import { requiredMeters } from './price.ts';

/** Who rewrites a row at every start; rows of nobody belong to the portal. */
export type ManagedBy = 'file' | 'environment';

export interface ProviderDeclaration {
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string | null;
  readonly region: string | null;
  /** Limits of its own; what is left out is the service's setting. */
  readonly timeoutsMs: {
    readonly connect?: number;
    readonly firstByte?: number;
    readonly failOver?: number;
    readonly wholeAnswer?: number;
    readonly idle?: number;
  };
  /** What only the kind understands; its adapter checks it. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What it does with what it is sent. */
  readonly dataClaim?: DataClaim | null;
  readonly credentials: readonly CredentialDeclaration[];
}

export interface CredentialDeclaration {
  readonly name: string;
  readonly secret: string;
  /** Requests at once, and in a minute, as its account allows; no limit where left out. */
  readonly maxConcurrent?: number | null;
  readonly requestsPerMinute?: number | null;
}

export interface ModelDeclaration {
  readonly id: string;
  readonly type: ModelType;
  readonly ownedBy: string;
  readonly aliases: readonly string[];
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly capabilities: readonly Capability[];
  /** Whether a streamed answer that breaks is gone on with, where neither its request nor its key says. */
  readonly rescue?: boolean;
  /** At providers that have none of their own; null says nothing of them, which leaves a new model without. */
  readonly prices: Prices | null;
  /** What they change to, and when; a date that has passed stands above `prices`. */
  readonly priceChanges?: readonly PriceChange[];
  /** In order of preference: the first is the primary. */
  readonly deployments: readonly DeploymentDeclaration[];
  /** In which order they are asked; `order` when not given. */
  readonly routing?: Ordering;
  readonly displayOrder: number;
}

export interface PriceChange {
  readonly from: Date;
  readonly prices: Prices;
}

interface DeploymentDeclaration {
  readonly provider: string;
  readonly upstreamId: string;
  /** In tokens, where it is another than the model's. */
  readonly contextWindow?: number | null;
  /** Its share where the model goes by weight; 1 when not given. */
  readonly weight?: number | null;
  /** Where it is another than the provider's. */
  readonly quantization?: Quantization | null;
  /** What it costs there, where that is another price than the model's. */
  readonly prices?: Prices | null;
  readonly priceChanges?: readonly PriceChange[];
}

/** Provider names stand in an answer header, model names in a path and in logs: no spaces, nothing unprintable. */
const providerName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const modelName = /^[!-~]{1,200}$/;

/** What is wrong with a list of providers; each `loc` begins with the index in the list. */
export function checkProviders(declarations: readonly ProviderDeclaration[]): FieldIssue[] {
  const repeatedNames = new Set(repeats(declarations.map(({ name }) => name)));
  return declarations.flatMap((provider, index) => [
    ...issueWhen(!providerName.test(provider.name), [index, 'name'], providerNameRule),
    ...issueWhen(repeatedNames.has(index), [index, 'name'], twice('provider', provider.name)),
    ...checkBaseUrl(provider.baseUrl, index),
    ...issueWhen(
      provider.settings?.['timeoutsMs'] !== undefined,
      [index, 'settings', 'timeoutsMs'],
      'limits of time are not a setting of the kind: they stand beside the settings',
    ),
    ...repeats(provider.credentials.map(({ name }) => name)).map((at) =>
      issue([index, 'credentials', at, 'name'], twice('credential', provider.credentials[at]?.name ?? '')),
    ),
  ]);
}

/** What is wrong with a list of models by itself; each `loc` begins with the index in the list. */
export function checkModels(declarations: readonly ModelDeclaration[]): FieldIssue[] {
  const ids = new Set(declarations.map(({ id }) => id));
  const aliases = new Set<string>();
  const repeatedIds = new Set(repeats(declarations.map(({ id }) => id)));
  return declarations.flatMap((model, index) => [
    ...issueWhen(!modelName.test(model.id), [index, 'id'], modelNameRule),
    ...issueWhen(repeatedIds.has(index), [index, 'id'], twice('model', model.id)),
    ...issueWhen(model.id === reservedName, [index, 'id'], reservedNameRule),
    ...model.aliases.flatMap((alias, at) => {
      const loc = [index, 'aliases', at];
      const isRepeated = aliases.has(alias);
      aliases.add(alias);
      return [
        ...issueWhen(!modelName.test(alias), loc, modelNameRule),
        ...issueWhen(alias === reservedName, loc, reservedNameRule),
        ...issueWhen(
          ids.has(alias),
          loc,
          `"${alias}" is the id of a model; an alias needs a name of its own`,
        ),
        ...issueWhen(isRepeated, loc, twice('alias', alias)),
      ];
    }),
    ...repeats(model.deployments.map(({ provider }) => provider)).map((at) =>
      issue(
        [index, 'providers', at, 'provider'],
        twice('provider', model.deployments[at]?.provider ?? '', 'this model'),
      ),
    ),
    ...declaredPrices(model).flatMap(({ loc, prices }) => checkPrices(model.type, prices, [index, ...loc])),
    ...repeatedDates(model).map((loc) => issue([index, ...loc], 'another change has the same date')),
  ]);
}

const providerNameRule = 'expected 1 to 64 letters, digits, dots, dashes or underscores';
/** With it a request leaves the choice of its model to the gateway. */
const reservedName = 'auto';
const reservedNameRule =
  '"auto" is reserved: requests ask with it for the model with the lowest list price among those with the abilities that they need';
const modelNameRule = 'expected 1 to 200 printable characters without spaces';

function checkBaseUrl(baseUrl: string | null, index: number): FieldIssue[] {
  if (baseUrl === null) return [];
  const url = URL.parse(baseUrl);
  const isPlain =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  const message =
    'expected an http or https URL such as https://host/v1, without a user and without what follows a ? or #';
  const endpoint = endpoints.exec(url?.pathname ?? '')?.[0];
  return [
    ...issueWhen(!isPlain, [index, 'base_url'], message),
    ...issueWhen(isPlain && hostKind(url.hostname) === 'closed', [index, 'base_url'], closedRule),
    ...issueWhen(
      endpoint !== undefined,
      [index, 'base_url'],
      `ends in the path of one endpoint: leave out ${endpoint}, which is added to each request`,
    ),
  ];
}

const closedRule =
  'is link-local, or keeps the metadata of a cloud: no provider is there, and nothing is ever sent there';

/** What is wrong with providers that are saved by somebody else than whoever runs the service, unless that is allowed. */
export function checkPrivateAddresses(declarations: readonly ProviderDeclaration[]): FieldIssue[] {
  return declarations.flatMap(({ baseUrl }, index) =>
    issueWhen(
      hostKind(URL.parse(baseUrl ?? '')?.hostname ?? '') === 'private',
      [index, 'base_url'],
      'is in a private network: declare it in the configuration file, or set SLUICE_UPSTREAM_PRIVATE=on',
    ),
  );
}

/** What people copy from an example of a request. */
const endpoints =
  /\/(chat\/completions|completions|responses|embeddings|messages|rerank|audio\/(transcriptions|speech))\/*$/;

type Place = readonly (string | number)[];

/** All prices that are declared for a model, each with its place in the declaration. */
function declaredPrices(model: ModelDeclaration): { loc: Place; prices: Prices }[] {
  return priceLists(model).flatMap(({ loc, prices, priceChanges = [] }) => [
    ...(prices == null ? [] : [{ loc: [...loc, 'prices'], prices }]),
    ...priceChanges.map((change, at) => ({
      loc: [...loc, 'price_changes', at, 'prices'],
      prices: change.prices,
    })),
  ]);
}

function repeatedDates(model: ModelDeclaration): Place[] {
  return priceLists(model).flatMap(({ loc, priceChanges = [] }) =>
    repeats(priceChanges.map(({ from }) => from.getTime())).map((at) => [
      ...loc,
      'price_changes',
      at,
      'from',
    ]),
  );
}

const priceLists = ({ prices, priceChanges, deployments }: ModelDeclaration) => [
  { loc: [], prices, priceChanges },
  ...deployments.map((deployment, at) => ({ loc: ['providers', at], ...deployment })),
];

/** What is wrong with the prices of a model of a type, at any date and any provider. */
export function checkPrices(type: ModelType, prices: Prices, loc: Place): FieldIssue[] {
  const messages = [...missingMeters(type, prices), ...doubledMeters(type, prices)];
  return messages.map((message) => issue(loc, message));
}

/** A half-priced model would give the other half away. */
function missingMeters(type: ModelType, prices: Prices): string[] {
  return requiredMeters[type]
    .filter((group) => group.every((meter) => prices[meter] === undefined))
    .map((group) => `a ${type} model with prices needs one for ${group.join(' or ')} (0 when it is free)`);
}

/** Two units of the same work: it would be charged twice. */
function doubledMeters(type: ModelType, prices: Prices): string[] {
  return requiredMeters[type]
    .map((group) => group.filter((meter) => prices[meter] !== undefined))
    .filter((priced) => priced.length > 1)
    .map((priced) => `a ${type} model is priced by ${priced.join(' or by ')}, not by both`);
}

/** The positions of items that stood in the list before. */
function repeats(items: readonly (string | number)[]): number[] {
  return items.flatMap((item, at) => (items.indexOf(item) < at ? [at] : []));
}

const twice = (noun: string, name: string, where = 'this list') => `${noun} "${name}" is twice in ${where}`;

const issue = (loc: readonly (string | number)[], msg: string): FieldIssue => ({
  loc,
  msg,
  type: 'value_error',
});

const issueWhen = (isWrong: boolean, loc: readonly (string | number)[], msg: string): FieldIssue[] =>
  isWrong ? [issue(loc, msg)] : [];
