/** `sluice credentials …`. */
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { RunCommand } from './admin-command.ts';
import { type OutputOptions, printJson, printLines, printTable } from './output.ts';
import { reseal } from './reseal.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export function addCredentialCommands(program: Command, variables: Variables, run: RunCommand): void {
  const credentials = program
    .command('credentials')
    .description('what happens to the credentials of providers');
  credentials
    .command('log')
    .description('list what happened to them, the newest first')
    .option('--provider <name>', 'at this provider alone')
    .option('--key-name <name>', 'to this credential alone')
    .option('--kinds <kinds>', 'such as rate_limited,cooldown,recovered,refresh_failed,exhausted')
    .option('--hours <number>', 'of so many hours; 24 when not given', readCount)
    .option('--limit <number>', 'so many at most; 100 when not given', readCount)
    .option('--json', 'print JSON')
    .action(async ({ json, ...asked }: OutputOptions & object) => {
      const found = loggedEvents.parse(await run('credentials log', asked));
      if (json) return printJson(found);
      if (found.length === 0) return printLines(['Nothing happened.']);
      printTable(
        ['AT', 'PROVIDER', 'CREDENTIAL', 'MODEL', 'KIND', 'FOR', 'ERROR', 'TIMES'],
        found.map(({ at, provider, keyName, model, kind, durationMs, errorKind, count }) => [
          at,
          provider,
          keyName ?? '',
          model ?? '',
          kind,
          durationMs === null ? '' : `${Math.ceil(durationMs / 1000)} s`,
          errorKind ?? '',
          String(count),
        ]),
      );
    });
  credentials
    .command('reseal')
    .description(
      'after SLUICE_SECRET was changed, seal what the database holds under the new one; stop the servers first',
    )
    .requiredOption('--previous-secret-file <path>', 'a file that holds the secret of before')
    .option('--json', 'print JSON')
    .action((options: OutputOptions & { previousSecretFile: string }) => reseal(variables, options));
  credentials
    .command('incidents')
    .description('list when which provider had trouble, the newest first')
    .option('--hours <number>', 'of so many hours; 24 when not given', readCount)
    .option('--json', 'print JSON')
    .action(async ({ json, ...asked }: OutputOptions & object) => {
      const found = listedIncidents.parse(await run('credentials incidents', asked));
      if (json) return printJson(found);
      if (found.length === 0) return printLines(['No provider had trouble.']);
      printTable(
        ['FROM', 'UNTIL', 'PROVIDER', 'CREDENTIALS', 'WHAT', 'ERRORS', 'EVENTS'],
        found.map(({ startedAt, endedAt, isOpen, provider, keyNames, kinds, errorKinds, events }) => [
          startedAt,
          isOpen ? 'goes on' : endedAt,
          provider,
          keyNames.join(', '),
          kinds.join(', '),
          errorKinds.join(', '),
          String(events),
        ]),
      );
    });
}

function readCount(written: string): number {
  const count = Number(written);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

const loggedEvents = z.array(
  z.object({
    ...{ at: z.string(), provider: z.string(), keyName: z.string().nullable(), model: z.string().nullable() },
    ...{ kind: z.string(), source: z.string(), errorKind: z.string().nullable() },
    ...{ durationMs: z.number().nullable(), count: z.number() },
  }),
);

const listedIncidents = z.array(
  z.object({
    ...{ startedAt: z.string(), endedAt: z.string(), isOpen: z.boolean(), provider: z.string() },
    ...{ kinds: z.array(z.string()), errorKinds: z.array(z.string()), keyNames: z.array(z.string()) },
    events: z.number(),
  }),
);
