/** What a configuration file must keep beyond its form: names that lead somewhere, nothing twice, tokens whole. */
import { checkModels, checkProviders } from '../../catalogue/index.ts';
import { isWellFormedToken } from '../../identity/index.ts';
import { declareModels, declareProviders } from './file-declaration.ts';
import type { FileContent } from './file-schema.ts';
import { suggest } from './mistake.ts';

export interface FileRules {
  /** The kinds of provider that this version can speak to, and what each needs. */
  readonly providerKinds: ReadonlyMap<string, ProviderKind>;
  readonly tokenPrefix: string;
}

export interface ProviderKind {
  /** Null when every provider of the kind must have an address of its own. */
  readonly defaultBaseUrl: string | null;
  readonly needsCredential: boolean;
  /** @throws Error with a sentence, which begins with the name of a setting when it is about one. */
  checkSettings?(settings: Readonly<Record<string, unknown>>): void;
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface FileProblems {
  readonly mistakes: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function checkFile(content: FileContent, rules: FileRules): FileProblems {
  return {
    mistakes: [
      ...checkUsers(content),
      ...within('providers', checkProviders(declareProviders(content))),
      ...checkKinds(content, rules),
      ...within('models', checkModels(declareModels(content))),
      ...checkProviderNames(content),
      ...checkTokens(content, rules),
    ],
    warnings: findUndeclaredOwners(content),
  };
}

const within = (
  section: string,
  issues: readonly { loc: readonly (string | number)[]; msg: string }[],
): Problem[] => issues.map(({ loc, msg }) => ({ path: [section, ...loc], message: msg }));

export const sameEmail = (email: string): string => email.trim().toLowerCase();

const checkUsers = ({ users }: FileContent): Problem[] =>
  findRepeats(users.map(({ email }) => sameEmail(email))).map((at) => ({
    path: ['users', at, 'email'],
    message: 'another user of this file has the same address',
  }));

function checkKinds({ providers }: FileContent, { providerKinds }: FileRules): Problem[] {
  return providers.flatMap(({ kind, base_url, credentials, settings }, at): Problem[] => {
    const known = providerKinds.get(kind);
    if (known === undefined) {
      const kinds = [...providerKinds.keys()];
      const message = `expected one of ${kinds.join(', ')}${suggest(kind, kinds)}`;
      return [{ path: ['providers', at, 'kind'], message }];
    }
    const problems: Problem[] = [];
    if (known.defaultBaseUrl === null && base_url === undefined) {
      problems.push({ path: ['providers', at, 'base_url'], message: `is missing: kind ${kind} needs one` });
    }
    if (known.needsCredential && credentials.length === 0) {
      problems.push({ path: ['providers', at, 'credentials'], message: `kind ${kind} needs at least one` });
    }
    return [...problems, ...checkSettings(known, settings, ['providers', at, 'settings'])];
  });
}

function checkSettings(
  kind: ProviderKind,
  settings: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
): Problem[] {
  try {
    if (kind.checkSettings !== undefined) kind.checkSettings(settings);
    else if (Object.keys(settings).length > 0) return [{ path, message: 'this kind has no settings' }];
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [name = '', ...rest] = message.split(': ');
    if (!Object.hasOwn(settings, name) || rest.length === 0) return [{ path, message }];
    return [{ path: [...path, name], message: rest.join(': ') }];
  }
}

function checkProviderNames({ models, providers }: FileContent): Problem[] {
  const names = new Set(providers.map(({ name }) => name));
  return models.flatMap((model, at) =>
    model.providers.flatMap(({ provider }, index) => {
      if (names.has(provider)) return [];
      const message = `this file declares no provider "${provider}"${suggest(provider, names)}`;
      return [{ path: ['models', at, 'providers', index, 'provider'], message }];
    }),
  );
}

function checkTokens({ keys }: FileContent, { tokenPrefix }: FileRules): Problem[] {
  const repeated = new Set(findRepeats(keys.map(({ token }) => token)));
  return keys.flatMap(({ token }, at): Problem[] => {
    const path = ['keys', at, 'token'];
    if (!isWellFormedToken(token, tokenPrefix)) {
      const message = `expected a token that this service minted: ${tokenPrefix} and 46 letters or digits, the last 6 a checksum`;
      return [{ path, message }];
    }
    return repeated.has(at) ? [{ path, message: 'another key of this file has the same token' }] : [];
  });
}

function findUndeclaredOwners({ keys, users }: FileContent): Problem[] {
  const emails = new Set(users.map(({ email }) => sameEmail(email)));
  return keys.flatMap(({ owner }, at) =>
    emails.has(sameEmail(owner))
      ? []
      : [
          {
            path: ['keys', at, 'owner'],
            message: `"${owner}" is not declared in this file${suggest(owner, emails)}: the account must exist already`,
          },
        ],
  );
}

function findRepeats(items: readonly string[]): number[] {
  return items.flatMap((item, at) => (items.indexOf(item) < at ? [at] : []));
}
