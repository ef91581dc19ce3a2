/** What a provider's row must keep for its kind, and whether the kinds behind a model do the model's work. */
import type { ModelType } from '../catalogue/index.ts';
import { retiredKinds, type Supports } from '../providers/index.ts';
import type { FileContent } from './file-schema.ts';
import { suggest } from './mistake.ts';

export interface ProviderKind {
  /** Null when every provider of the kind must have an address of its own. */
  readonly defaultBaseUrl: string | null;
  readonly needsCredential: boolean;
  /** @throws Error with a sentence, which begins with the name of a setting when it is about one. */
  checkSettings?(settings: Settings): void;
  /** @throws Error with a sentence, which begins with the name of a field when it is about one. */
  checkPlace?(place: Place): void;
  /** @throws Error with a sentence that does not show the secret. */
  checkCredential?(secret: string): void;
  /** What rows with these settings can do. */
  supports(settings: Settings, baseUrl: string | null): WorkSupported;
}

export type ProviderKinds = ReadonlyMap<string, ProviderKind>;

type Settings = Readonly<Record<string, unknown>>;
type WorkSupported = Readonly<Partial<Record<keyof Supports, unknown>>>;
type ProviderRow = FileContent['providers'][number];

interface Place {
  readonly baseUrl: string | null;
  readonly region: string | null;
  readonly secret: string | null;
  readonly settings: Settings;
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export function checkKinds({ providers }: FileContent, kinds: ProviderKinds): Problem[] {
  return providers.flatMap((row, at): Problem[] => {
    const kind = kinds.get(row.kind);
    const path = ['providers', at];
    if (kind !== undefined) return checkRow(row, kind, path);
    const names = [...kinds.keys()];
    const retired = retiredKinds.get(row.kind);
    const message = retired?.sentence ?? `expected one of ${names.join(', ')}${suggest(row.kind, names)}`;
    return [{ path: [...path, 'kind'], message }];
  });
}

function checkRow(row: ProviderRow, kind: ProviderKind, path: readonly PropertyKey[]): Problem[] {
  const { base_url, region, credentials, settings } = row;
  const problems: Problem[] = [];
  if (kind.defaultBaseUrl === null && base_url === undefined) {
    problems.push({ path: [...path, 'base_url'], message: `is missing: kind ${row.kind} needs one` });
  }
  if (kind.needsCredential && credentials.length === 0) {
    problems.push({ path: [...path, 'credentials'], message: `kind ${row.kind} needs at least one` });
  }
  if (kind.checkSettings === undefined && Object.keys(settings).length > 0) {
    problems.push({ path: [...path, 'settings'], message: 'this kind has no settings' });
  }
  const place = {
    baseUrl: base_url ?? null,
    region: region ?? null,
    secret: credentials[0]?.api_key ?? null,
    settings,
  };
  return [
    ...problems,
    ...problemsOf(() => kind.checkSettings?.(settings), [...path, 'settings'], Object.keys(settings)),
    ...problemsOf(() => kind.checkPlace?.(place), path, ['region', 'base_url']),
    ...credentials.flatMap(({ api_key }, at) =>
      problemsOf(() => kind.checkCredential?.(api_key), [...path, 'credentials', at, 'api_key'], []),
    ),
  ];
}

/** @param names what the sentence may begin with, to be told at that place. */
export function problemsOf(
  check: () => void,
  path: readonly PropertyKey[],
  names: readonly string[],
): readonly Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const name = names.find((each) => message.startsWith(`${each}: `));
    if (name === undefined) return [{ path, message }];
    return [{ path: [...path, name], message: message.slice(name.length + 2) }];
  }
}

const workOf: Readonly<Record<ModelType, readonly (keyof Supports)[]>> = {
  chat: ['chat', 'native'],
  embedding: ['embeddings'],
  rerank: ['rerank'],
  transcription: ['transcription'],
  speech: ['speech'],
};

/** A model that no request could ever reach. Where a row is wrong itself nothing is said of its models. */
export function checkModelTypes({ models, providers }: FileContent, kinds: ProviderKinds): Problem[] {
  const rows = new Map(providers.map((row) => [row.name, row]));
  return models.flatMap((model, at): Problem[] => {
    const able = model.providers.map(({ provider }) => canServe(model.type, rows.get(provider), kinds));
    if (able.some((each) => each !== false)) return [];
    const names = new Set(model.providers.map(({ provider }) => rows.get(provider)?.kind ?? provider));
    const message = `${model.type === 'embedding' ? 'an' : 'a'} ${model.type} model cannot be served by a provider of the kind ${[...names].join(' or ')}`;
    return [{ path: ['models', at, 'type'], message }];
  });
}

/** Undefined where it cannot be told. */
function canServe(type: ModelType, row: ProviderRow | undefined, kinds: ProviderKinds): boolean | undefined {
  const kind = row === undefined ? undefined : kinds.get(row.kind);
  if (row === undefined || kind === undefined) return undefined;
  try {
    const supported = kind.supports(row.settings, row.base_url ?? null);
    return workOf[type].some((work) => supported[work] !== undefined);
  } catch {
    return undefined;
  }
}
