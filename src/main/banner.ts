/** What a person who starts the server in a terminal needs next. */

import { AppError } from '../base/errors.ts';
import type { CatalogueSnapshot } from '../catalogue/index.ts';
import { chooseModel } from '../gateway/index.ts';
import { isServed } from '../routing/index.ts';
import type { Welcome } from './first-run.ts';
import type { Role } from './roles.ts';

export interface BannerFacts {
  readonly url: string;
  readonly role: Role;
  readonly storage: string;
  /** A model to try, or null when none would answer. */
  readonly model: string | null;
  readonly welcome: Welcome | null;
  /** Where this process keeps mails as files; null where it sends them, or does nothing with them. */
  readonly mailFolder: string | null;
  readonly warnings: readonly string[];
}

export function writeBanner(facts: BannerFacts): string {
  const { url, role, storage, model, welcome, mailFolder, warnings } = facts;
  const lines = ['', `  Sluice is ready at ${url}`, `  Database: ${storage}`];
  if (role !== 'all') lines.push(`  Role: ${role}`);
  if (mailFolder !== null) lines.push(`  Mails: files in ${mailFolder}; SLUICE_SMTP_URL sends them instead`);
  for (const warning of warnings) lines.push(`  Warning: ${warning}`);
  if (role === 'jobs') return `${[...lines, ''].join('\n')}\n`;
  if (welcome !== null) {
    lines.push(
      '',
      `  Sign in as ${welcome.ownerEmail} (once, within an hour):`,
      `    ${url}${welcome.signInPath}`,
    );
  }
  if (welcome?.token != null) lines.push('', '  API token:', `    ${welcome.token}`);
  else {
    const owner = welcome?.ownerEmail ?? '<e-mail>';
    lines.push('', `  Make an API token: npx sluice keys create --owner ${owner} --name <name>`);
  }
  if (role === 'portal') return `${[...lines, ''].join('\n')}\n`;
  if (model === null) lines.push('', '  No model can be asked yet: see docs/configuration.md.');
  else lines.push('', '  Try it:', ...writeCurl(url, welcome?.token ?? '<API token>', model));
  return `${[...lines, ''].join('\n')}\n`;
}

function writeCurl(url: string, token: string, model: string): string[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return [
    `    curl ${url}/v1/chat/completions \\`,
    `      -H "Authorization: Bearer ${token}" \\`,
    `      -H "Content-Type: application/json" \\`,
    `      -d '${body}'`,
  ];
}

const nobody = { allowedModels: null, allowedProviders: null, allowedRegions: null, dataLocks: [] };

export function chooseModelToTry({ models }: Pick<CatalogueSnapshot, 'models'>): string | null {
  const served = models.filter((model) => isServed(model, nobody, ({ chat }) => chat !== undefined));
  try {
    return chooseModel([], nobody, { models: served }).publicId;
  } catch (refusal) {
    if (refusal instanceof AppError) return null;
    throw refusal;
  }
}
