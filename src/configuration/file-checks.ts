/** What a configuration file must keep beyond its form: names that lead somewhere, nothing twice, tokens whole. */
import { checkModels, checkProviders } from '../catalogue/index.ts';
import { isWellFormedToken } from '../identity/index.ts';
import { declareModels, declareProviders } from './declarations.ts';
import type { FileContent } from './file-schema.ts';
import { checkKinds, checkModelTypes, type ProviderKinds } from './kind-checks.ts';
import { suggest } from './mistake.ts';
import { checkSignIn, type Problem } from './sign-in-schema.ts';

export interface FileRules {
  /** The kinds of provider that this version can speak to, and what each needs. */
  readonly providerKinds: ProviderKinds;
  readonly tokenPrefix: string;
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
      ...checkKinds(content, rules.providerKinds),
      ...within('models', checkModels(declareModels(content))),
      ...checkModelTypes(content, rules.providerKinds),
      ...checkProviderNames(content),
      ...checkTokens(content, rules),
      ...checkBudgets(content),
      ...checkBudgetDefaults(content),
      ...checkSignIn(content),
    ],
    warnings: [...findUnpriced(content), ...findUndeclaredOwners(content)],
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

function checkBudgets({ budgets, keys }: FileContent): Problem[] {
  const names = keys.map(({ name }) => name);
  const ofKeys = budgets.flatMap(({ key }, at): Problem[] => {
    if (key === undefined) return [];
    const count = names.filter((name) => name === key).length;
    if (count === 1) return [];
    const message =
      count === 0
        ? `this file declares no key "${key}"${suggest(key, names)}`
        : `several keys of this file are called "${key}": give this one a name of its own`;
    return [{ path: ['budgets', at, 'key'], message }];
  });
  const repeats = findRepeats(
    budgets.map(({ user, key, organisation, department, project, period }) =>
      JSON.stringify([user && sameEmail(user), key, organisation, department, project, period]),
    ),
  );
  const message = 'another budget of this file is of the same subject and period';
  return [...ofKeys, ...repeats.map((at) => ({ path: ['budgets', at, 'period'], message }))];
}

function checkBudgetDefaults({ budget_defaults: defaults }: FileContent): Problem[] {
  const message = 'another default of this file is of the same group, for the same and of the same period';
  const names = defaults.map(({ organisation, department, for: receivers, period }) =>
    JSON.stringify([organisation, department, receivers, period]),
  );
  return findRepeats(names).map((at) => ({ path: ['budget_defaults', at, 'period'], message }));
}

const findUnpriced = ({ models }: FileContent): Problem[] =>
  models.flatMap(({ id, prices = {}, providers }, at) =>
    [prices, ...providers.map((served) => served.prices ?? {})].every(
      (each) => Object.keys(each).length === 0,
    )
      ? [
          {
            path: ['models', at, 'prices'],
            message: `${id} has none, so prepaid keys are refused it: write 0 where it is free`,
          },
        ]
      : [],
  );

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
