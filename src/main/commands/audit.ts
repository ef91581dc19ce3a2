/** `sluice audit verify`. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { RunCommand } from './admin-command.ts';
import { type OutputOptions, printJson, printLines } from './output.ts';

export function addAuditCommands(program: Command, run: RunCommand): void {
  program
    .command('audit')
    .description('the record of what was done to accounts, and by whom')
    .command('verify')
    .description('check that nothing in it is missing or was changed; the exit code is 1 where it is not so')
    .option('--json', 'print JSON, with where each chain ends: keep it elsewhere to compare later')
    .action(async ({ json }: OutputOptions) => {
      const report = trailReport.parse(await run('audit verify', {}));
      if (json) printJson(report);
      else {
        printLines([
          `${report.entries} entries in ${report.chains} chains were checked.`,
          ...report.breaches.map(
            ({ chain, sequence, kind }) => `Not so: ${chain}, entry ${sequence}: ${breachWords[kind]}.`,
          ),
          ...(report.breaches.length === 0 ? ['Nothing is missing or was changed.'] : []),
        ]);
      }
      if (report.breaches.length > 0) process.exitCode = 1;
    });
}

const breachWords = {
  missing: 'an entry is missing',
  changed: 'it is not what was written',
  personal_changed: 'its name, address or browser is not what was written',
  end: 'the chain does not end where it should',
};

const trailReport = z.object({
  chains: z.number(),
  entries: z.number(),
  breaches: z.array(
    z.object({
      chain: z.string(),
      sequence: z.number(),
      kind: z.enum(['missing', 'changed', 'personal_changed', 'end']),
    }),
  ),
  heads: z.array(z.object({ chain: z.string(), length: z.number(), head: z.string() })),
});
