/** `sluice keys create`, `mint`, `list`, `rotate` and `revoke`. */
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { systemIds } from '../../base/ids.ts';
import { mintToken } from '../../identity/index.ts';
import type { RunCommand } from './admin-command.ts';
import { type OutputOptions, printJson, printLines, printTable } from './output.ts';
import { wholeNumber } from './whole-number.ts';

const gather = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** @param tokenPrefix what every API token of this service begins with, as the settings say. */
export function addKeyCommands(program: Command, run: RunCommand, tokenPrefix: () => string): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('make an API key; its token is shown once')
    .requiredOption('--owner <email>', 'whose account it belongs to')
    .requiredOption('--name <name>', 'what it is for')
    .option('--scope <scope>', 'inference, webchat, read or account; may be repeated', gather)
    .option('--model <id>', 'lock to this model; may be repeated', gather)
    .option('--provider <name>', 'lock to this provider; may be repeated', gather)
    .option('--region <name>', 'lock to this region; may be repeated', gather)
    .option('--requests-per-minute <count>', 'limit', wholeNumber)
    .option('--tokens-per-minute <count>', 'limit', wholeNumber)
    .option('--concurrent-requests <count>', 'limit', wholeNumber)
    .option('--rescue', 'go on with a streamed answer that its provider breaks off, by asking another')
    .option('--strict-output', 'refuse what cannot be paid whole, instead of lowering its output limit')
    .option('--expires-at <time>', 'ISO 8601 with a time zone, such as 2027-01-31T12:00:00Z')
    .option('--json', 'print JSON')
    .action(async ({ json, scope, model, provider, region, ...fields }) => {
      const input = {
        ...fields,
        scopes: scope,
        allowedModels: model,
        allowedProviders: provider,
        allowedRegions: region,
      };
      const created = createdKey.parse(await run('keys create', input));
      if (json) return printJson(created);
      printLines([
        `Key ${created.id} "${created.name}" of ${created.ownerEmail}:`,
        '',
        `  ${created.token}`,
        '',
      ]);
      printLines(['Keep it now: only its hash is stored, and it cannot be shown again.']);
    });
  keys
    .command('mint')
    .description('print a token to declare in a configuration file; nothing is stored')
    .action(() => printLines([mintToken(systemIds, tokenPrefix())]));
  keys
    .command('list')
    .description('list API keys')
    .option('--all', 'the revoked ones too')
    .option('--json', 'print JSON')
    .action(async ({ all, json }: OutputOptions & { all?: true }) => {
      const found = listedKeys.parse(await run('keys list', { all: all === true }));
      if (json) return printJson(found);
      printTable(
        ['ID', 'NAME', 'OWNER', 'TOKEN', 'STATE', 'LOCKED TO', 'LIMITS', 'LAST USED'],
        found.map((key) => [
          String(key.id),
          key.name,
          key.ownerEmail,
          `${key.tokenPrefix}…${key.tokenLastFour}`,
          stateOf(key),
          locksOf(key),
          limitsOf(key),
          key.lastUsedAt ?? 'never',
        ]),
      );
    });
  keys
    .command('rotate')
    .description('give an API key another token, shown once; the one before works on for a while')
    .argument('<id>', 'the number that `keys list` shows', wholeNumber)
    .option('--overlap-hours <hours>', 'how long it works on, 0 to 720; 24 when not given', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, { json, overlapHours }: OutputOptions & { overlapHours?: number }) => {
      const rotated = rotatedKey.parse(await run('keys rotate', { id, overlapHours }));
      if (json) return printJson(rotated);
      const { token, previousTokenPrefix, previousTokenLastFour, previousEndsAt } = rotated;
      printLines([`The new token of key ${rotated.id} "${rotated.name}":`, '', `  ${token}`, '']);
      printLines([
        `${previousTokenPrefix}…${previousTokenLastFour} works until ${previousEndsAt}.`,
        'Keep the new one now: only its hash is stored, and it cannot be shown again.',
      ]);
    });
  keys
    .command('revoke')
    .description('end an API key for good')
    .argument('<id>', 'the number that `keys list` shows', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (id: number, { json }: OutputOptions) => {
      const revoked = listedKey.parse(await run('keys revoke', { id }));
      if (json) printJson(revoked);
      else printLines([`Key ${revoked.id} "${revoked.name}" is revoked.`]);
    });
}

const listedKey = z.looseObject({
  id: z.number(),
  name: z.string(),
  ownerEmail: z.string(),
  tokenPrefix: z.string(),
  tokenLastFour: z.string(),
  enabled: z.boolean(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  allowedModels: z.array(z.string()).nullable(),
  allowedProviders: z.array(z.string()).nullable(),
  allowedRegions: z.array(z.string()).nullable(),
  requestsPerMinute: z.number().nullable(),
  tokensPerMinute: z.number().nullable(),
  concurrentRequests: z.number().nullable(),
  strictOutput: z.boolean(),
  rescue: z.boolean().nullable(),
});
type ListedKey = z.infer<typeof listedKey>;
const listedKeys = z.array(listedKey);
const createdKey = listedKey.extend({ token: z.string() });
const rotatedKey = createdKey.extend({
  previousTokenPrefix: z.string(),
  previousTokenLastFour: z.string(),
  previousEndsAt: z.string(),
});

const none = '-';

function locksOf({ allowedModels, allowedProviders, allowedRegions }: ListedKey): string {
  const locks = [
    ['models', allowedModels],
    ['providers', allowedProviders],
    ['regions', allowedRegions],
  ] as const;
  const written = locks.flatMap(([noun, allowed]) => {
    if (allowed === null) return [];
    return allowed.length === 0 ? [`no ${noun}`] : [`${noun} ${allowed.join(', ')}`];
  });
  return written.join('; ') || none;
}

function limitsOf(key: ListedKey): string {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests, strictOutput, rescue } = key;
  const written = [
    ...(requestsPerMinute === null ? [] : [`${requestsPerMinute} requests/min`]),
    ...(tokensPerMinute === null ? [] : [`${tokensPerMinute} tokens/min`]),
    ...(concurrentRequests === null ? [] : [`${concurrentRequests} at once`]),
    ...(strictOutput ? ['strict output'] : []),
    ...(rescue === null ? [] : [rescue ? 'rescue' : 'no rescue']),
  ];
  return written.join(', ') || none;
}

function stateOf(key: ListedKey): string {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= systemClock.nowMs()) return 'expired';
  return key.enabled ? 'active' : 'disabled';
}
