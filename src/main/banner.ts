/** What a person who starts the server in a terminal needs next. */
import type { Welcome } from './first-run.ts';

export interface BannerFacts {
  readonly url: string;
  readonly storage: string;
  /** A model to try, or null when none would answer. */
  readonly model: string | null;
  readonly welcome: Welcome | null;
  readonly warnings: readonly string[];
}

export function writeBanner({ url, storage, model, welcome, warnings }: BannerFacts): string {
  const lines = ['', `  Sluice is ready at ${url}`, `  Database: ${storage}`];
  for (const warning of warnings) lines.push(`  Warning: ${warning}`);
  if (welcome !== null) {
    lines.push(
      '',
      `  Sign in as ${welcome.ownerEmail} (once, within an hour):`,
      `    ${url}${welcome.signInPath}`,
    );
  }
  if (welcome?.token != null) lines.push('', '  API token:', `    ${welcome.token}`);
  else lines.push('', '  Make an API token: npx sluice keys create --owner <e-mail> --name <name>');
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
