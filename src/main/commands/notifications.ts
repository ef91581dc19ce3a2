/** `sluice notifications status`: what an operator sees of mails and webhooks that wait, once or again and again. */
import type { Command } from 'commander';
import { z } from 'zod';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { DeliveryState } from '../../notifications/index.ts';
import type { RunCommand } from './admin-command.ts';
import { type OutputOptions, printJson, printLines, printTable, withoutControls } from './output.ts';

const lookEveryMs = 5000;

interface StatusOptions extends OutputOptions {
  readonly watch?: true;
}

export function addNotificationCommands(
  program: Command,
  withCommands: <Result>(work: (ask: RunCommand) => Promise<Result>) => Promise<Result>,
  clock: Clock = systemClock,
): void {
  program
    .command('notifications')
    .description('what people are told, by mail and webhook')
    .command('status')
    .description('what waits to be told, since when, how fast it goes and what fails')
    .option('--watch', 'look again every five seconds, until Ctrl-C')
    .option('--json', 'print JSON, a line each time with --watch')
    .action(({ watch, json }: StatusOptions) =>
      withCommands(async (ask) => {
        for (;;) {
          const state = deliveryState.parse(await ask('notifications status', {}));
          if (json && watch) printLines([JSON.stringify(state)]);
          else if (json) printJson(state);
          else printState(state, new Date(clock.nowMs()));
          if (!watch) return;
          await clock.sleep(lookEveryMs);
        }
      }),
    );
}

const waiting = { waiting: z.number(), oldestSeconds: z.number().nullable() };
const ended = {
  retrying: z.number(),
  doneLastMinute: z.number(),
  doneLastHour: z.number(),
  failedLastDay: z.number(),
};
const deliveryState: z.ZodType<DeliveryState> = z.object({
  events: z.object(waiting),
  mails: z.object({ ...waiting, ...ended }),
  webhooks: z.object({ ...waiting, ...ended, paused: z.number() }),
  mailErrors: z.array(z.object({ error: z.string(), mails: z.number() })),
});

function printState({ events, mails, webhooks, mailErrors }: DeliveryState, at: Date): void {
  printTable(
    [at.toISOString(), 'WAITING', 'OLDEST', 'FAILED BEFORE', 'LAST MINUTE', 'LAST HOUR', 'GIVEN UP IN A DAY'],
    [
      ['events to spread', String(events.waiting), writeAge(events.oldestSeconds), '-', '-', '-', '-'],
      ...(
        [
          ['mails', mails],
          ['webhooks', webhooks],
        ] as const
      ).map(([name, state]) => [
        name,
        String(state.waiting),
        writeAge(state.oldestSeconds),
        String(state.retrying),
        String(state.doneLastMinute),
        String(state.doneLastHour),
        String(state.failedLastDay),
      ]),
    ],
  );
  printLines([
    ...(mails.waiting > 0 && mails.doneLastMinute > 0
      ? [`At this pace the mails are out in ${writeAge((mails.waiting / mails.doneLastMinute) * 60)}.`]
      : []),
    ...(webhooks.paused > 0 ? [`${webhooks.paused} webhooks are paused because nothing arrived there.`] : []),
    ...mailErrors.map(({ error, mails: count }) => `${count} mails: ${withoutControls(error)}`),
  ]);
}

function writeAge(seconds: number | null): string {
  if (seconds === null) return '-';
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
