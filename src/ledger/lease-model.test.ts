import { expect, test } from 'bun:test';
import { explore } from './testing/explore.ts';
import { LeaseWorld, type Thread, type WorldOptions } from './testing/lease-world.ts';
import { budgetId, walletId } from './testing/model-process.ts';
import { outside } from './testing/statement-wire.ts';

/** Each order of what can happen is a run of its own, with up to so many turns that are not the usual one. */
interface Case extends WorldOptions {
  readonly title: string;
  readonly deviations?: number;
}

/** One request after another: each is held, settled and written. */
const ask = (process: number, ...requests: readonly (readonly [most: bigint, cost: bigint])[]): Thread => ({
  process,
  async run(world) {
    for (const [most, cost] of requests) {
      const admission = await world.hold(process, most);
      await world.settle(process, admission, cost);
      await world.write(process);
    }
  },
});

/** Thousands of runs, on a machine that may be busy. */
const testTimeoutMs = 1_200_000;

const wallet = { balance: 100n };
const both = { balance: 100n, budget: 70n };

const cases: readonly Case[] = [
  {
    title: 'two processes ask for the last of a wallet',
    ...{ ...wallet, processes: 2, threads: [ask(0, [60n, 50n]), ask(1, [60n, 60n])] },
    deviations: 2,
  },
  {
    title: 'one process, whose answers are lost',
    ...{ ...wallet, processes: 1, losses: 2, threads: [ask(0, [40n, 30n], [40n, 40n])] },
  },
  {
    title: 'two processes, of which one loses answers',
    ...{ ...wallet, processes: 2, losses: 1, threads: [ask(0, [60n, 50n]), ask(1, [60n, 60n])] },
    deviations: 2,
  },
  {
    title: 'two requests of one process, whose answers are lost',
    ...{ ...both, processes: 1, losses: 2, threads: [ask(0, [40n, 30n]), ask(0, [30n, 45n])] },
    deviations: 2,
  },
  {
    title: 'one of two is killed',
    ...{ ...wallet, processes: 2, mortal: [0], threads: [ask(0, [60n, 50n]), ask(1, [60n, 60n])] },
    deviations: 2,
  },
  {
    title: 'one that loses an answer is killed',
    ...{ ...both, processes: 1, mortal: [0], losses: 1, threads: [ask(0, [40n, 30n], [30n, 35n])] },
    deviations: 2,
  },
  {
    title: 'what a request costs above its hold, beside another process and with a budget',
    ...{ ...both, processes: 2, threads: [ask(0, [30n, 60n]), ask(1, [30n, 40n])] },
    deviations: 2,
  },
  {
    title: 'what nobody uses comes back while it is asked for again, and answers are lost',
    ...{ ...both, processes: 1, losses: 1 },
    threads: [
      ask(0, [20n, 10n], [60n, 20n]),
      {
        process: 0,
        async run(world) {
          for (let round = 0; round < 3; round += 1) await world.passTime(0, 3_000);
        },
      },
    ],
    deviations: 2,
  },
  {
    title: 'money is taken out and credit is withdrawn meanwhile',
    ...{ balance: 60n, floor: -40n, processes: 2 },
    threads: [
      ask(0, [60n, 50n]),
      ask(1, [40n, 40n]),
      {
        process: outside,
        async run(world) {
          await world.change('a refund', walletId, { balance: -30n });
          await world.change('a lower credit limit', walletId, { floor: 20n });
          await world.change('a deposit', walletId, { balance: 50n });
        },
      },
    ],
    deviations: 2,
  },
  {
    title: 'a budget is lowered and raised meanwhile',
    ...{ ...both, processes: 2 },
    threads: [
      ask(0, [40n, 30n]),
      ask(1, [30n, 30n]),
      {
        process: outside,
        async run(world) {
          await world.change('a lower budget', budgetId, { balance: -40n });
          await world.change('a higher budget', budgetId, { balance: 60n });
        },
      },
    ],
    deviations: 2,
  },
  {
    title: 'the leases of a process that lives are taken away',
    ...{ ...both, processes: 1 },
    threads: [ask(0, [40n, 30n], [30n, 20n]), { process: outside, run: (world) => world.takeAway(0) }],
  },
  {
    title: 'the leases of one of two are taken away while it lives and loses an answer',
    ...{ ...wallet, processes: 2, losses: 1 },
    threads: [
      ask(0, [40n, 30n], [30n, 20n]),
      ask(1, [60n, 60n]),
      { process: outside, run: (world) => world.takeAway(0) },
    ],
    deviations: 1,
  },
  {
    title:
      'the leases of a process that lives are taken away while it holds, and it hears of it before it writes',
    ...{ ...wallet, processes: 1 },
    threads: [
      ask(0, [40n, 30n]),
      {
        process: outside,
        async run(world) {
          await world.takeAway(0);
          await world.missChanges(0);
        },
      },
    ],
  },
  {
    title: 'a process stops while another asks',
    ...{ ...wallet, processes: 2 },
    threads: [
      {
        process: 0,
        async run(world) {
          const admission = await world.hold(0, 60n);
          await world.settle(0, admission, 50n);
          await world.write(0);
          await world.close(0);
        },
      },
      ask(1, [60n, 60n], [50n, 50n]),
    ],
    deviations: 2,
  },
  {
    title: 'three processes ask for the last of a wallet',
    ...{ ...wallet, processes: 3 },
    threads: [ask(0, [60n, 50n]), ask(1, [60n, 60n]), ask(2, [40n, 40n])],
    deviations: 2,
  },
  {
    title: 'of three one is killed and another loses an answer',
    ...{ ...wallet, processes: 3, mortal: [0], losses: 1 },
    threads: [ask(0, [50n, 40n]), ask(1, [60n, 60n]), ask(2, [30n, 30n])],
    deviations: 2,
  },
  {
    title: 'three processes with a budget, of whom one is told late and twice what others ask for',
    ...{ ...both, processes: 3, repeats: 2 },
    threads: [ask(0, [30n, 30n], [30n, 20n]), ask(1, [40n, 40n]), ask(2, [30n, 20n])],
    deviations: 2,
  },
  {
    title: 'money is taken out, and word of it comes late, in another order and twice',
    ...{ balance: 100n, processes: 2, repeats: 2 },
    threads: [
      ask(0, [40n, 30n], [30n, 30n]),
      ask(1, [40n, 40n]),
      {
        process: outside,
        async run(world) {
          await world.change('a refund', walletId, { balance: -50n });
          await world.change('a deposit', walletId, { balance: 30n });
        },
      },
    ],
    deviations: 2,
  },
  {
    title: 'word comes late to two of which one is killed',
    ...{ ...both, processes: 2, mortal: [0, 1], repeats: 1, losses: 1 },
    threads: [ask(0, [40n, 30n]), ask(1, [50n, 40n])],
    deviations: 2,
  },
  {
    title: 'the database was away',
    ...{ ...both, processes: 1, losses: 1 },
    threads: [ask(0, [40n, 30n], [30n, 20n]), { process: 0, run: (world) => world.missChanges(0) }],
    deviations: 2,
  },
];

/** `npm run simulation` goes further. */
const further = Number(process.env['SLUICE_MODEL_FURTHER'] ?? 0);

test.each([...cases])(
  '$title',
  async ({ deviations, ...options }) => {
    const { failure } = await explore(() => LeaseWorld.open(options), {
      most: 1_000_000,
      ...(deviations === undefined ? {} : { deviations: deviations + further }),
    });
    expect(failure ?? '').toBe('');
  },
  testTimeoutMs,
);
