/** `sluice prices rerate`: what requests of the past come to by the prices as they are known now. */
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { writeUsd } from '../../base/money.ts';
import type { RunCommand } from './admin-command.ts';
import { dollars, type OutputOptions, printJson, printLines, printTable } from './output.ts';

interface RerateOptions extends OutputOptions {
  readonly model?: string;
  readonly provider?: string;
  readonly from: string;
  readonly to?: string;
  readonly yes?: true;
}

export function addReratingCommand(prices: Command, run: RunCommand): void {
  prices
    .command('rerate')
    .description(
      'rate requests anew that were served at a wrong price, or at none; shows what would change, and changes it with --yes',
    )
    .option('--model <id>', 'of this model alone')
    .option('--provider <name>', 'at this provider alone')
    .requiredOption('--from <date>', 'that came from then on, such as 2027-01-31 (UTC)')
    .option('--to <date>', 'that came before; now when not given')
    .option('--yes', "put the ratings in force, and the differences into the payers' books")
    .option('--json', 'print JSON')
    .action(async ({ json, yes, ...options }: RerateOptions) => {
      const told = await rateAll(run, options, yes === true);
      if (json) return printJson({ isChanged: yes === true, ...told, payers: told.payers.map(writePayer) });
      printRated(told, yes === true);
    });
}

type Told = Omit<z.infer<typeof ratedPage>, 'next'>;

/** What was done before a crash is found to be right, so that the same words go on with it. */
async function rateAll(run: RunCommand, options: RerateOptions, isWanted: boolean): Promise<Told> {
  const to = options.to ?? new Date(systemClock.nowMs()).toISOString();
  const payers = new Map<number, Payer>();
  const sums = { requests: 0, unpriced: 0, rescued: 0, uncounted: 0 };
  for (let after: string | null = null, isOver = false; !isOver; isOver = after === null) {
    const input = { ...options, to, isWanted, ...(after === null ? {} : { after }) };
    const page = ratedPage.parse(await run('prices rerate', input));
    sums.requests += page.requests;
    sums.unpriced += page.unpriced;
    sums.rescued += page.rescued;
    sums.uncounted += page.uncounted;
    for (const payer of page.payers) payers.set(payer.payerId, add(payers.get(payer.payerId), payer));
    after = page.next;
  }
  return { ...sums, payers: [...payers.values()] };
}

function add(before: Payer | undefined, more: Payer): Payer {
  if (before === undefined) return more;
  return {
    ...before,
    requests: before.requests + more.requests,
    costBeforeNanoUsd: before.costBeforeNanoUsd + more.costBeforeNanoUsd,
    costNanoUsd: before.costNanoUsd + more.costNanoUsd,
    chargedBeforeNanoUsd: before.chargedBeforeNanoUsd + more.chargedBeforeNanoUsd,
    chargedNanoUsd: before.chargedNanoUsd + more.chargedNanoUsd,
  };
}

const writePayer = (payer: Payer) => ({
  payerId: payer.payerId,
  payer: payer.payer,
  requests: payer.requests,
  costBeforeUsd: writeUsd(payer.costBeforeNanoUsd),
  costUsd: writeUsd(payer.costNanoUsd),
  chargedBeforeUsd: writeUsd(payer.chargedBeforeNanoUsd),
  chargedUsd: writeUsd(payer.chargedNanoUsd),
});

function printRated({ requests, unpriced, rescued, uncounted, payers }: Told, isChanged: boolean): void {
  const changed = payers.reduce((sum, payer) => sum + payer.requests, 0);
  if (changed > 0) {
    printTable(
      ['PAYER', 'REQUESTS', 'COST BEFORE', 'COST', 'CHARGED BEFORE', 'CHARGED'],
      payers
        .map(writePayer)
        .map((payer) => [
          ...[payer.payer, String(payer.requests), dollars(payer.costBeforeUsd), dollars(payer.costUsd)],
          ...[dollars(payer.chargedBeforeUsd), dollars(payer.chargedUsd)],
        ]),
    );
    printLines(['']);
  }
  printLines([`${changed} of ${requests} requests come to something else.`]);
  if (unpriced > 0) printLines([`${unpriced} had no price then and stay as they are.`]);
  if (rescued > 0) {
    printLines([
      `${rescued} broke off at one provider and ended at another, each at its own price, and stay as they are.`,
    ]);
  }
  if (uncounted > 0) {
    printLines([
      `${uncounted} were paid by another unit than the price asks now, have no count of that, and stay as they are.`,
    ]);
  }
  if (changed === 0) return;
  printLines([
    isChanged
      ? "They are rated anew, and the differences are in the payers' books. Budgets keep what they counted."
      : 'Nothing was changed. --yes puts this in force.',
  ]);
}

const amount = z.string().transform(BigInt);
const payer = z.object({
  payerId: z.number(),
  payer: z.string(),
  requests: z.number(),
  costBeforeNanoUsd: amount,
  costNanoUsd: amount,
  chargedBeforeNanoUsd: amount,
  chargedNanoUsd: amount,
});
type Payer = z.infer<typeof payer>;
const ratedPage = z.object({
  requests: z.number(),
  unpriced: z.number(),
  rescued: z.number(),
  uncounted: z.number(),
  payers: z.array(payer),
  next: z.string().nullable(),
});
