/** Processes that die at every byte they write, and heirs that die too: what is promised holds all the same. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ManualClock } from '../../base/testing/manual-clock.ts';
import { silentLog } from '../../base/testing/silent-log.ts';
import { adoptSpools, Spool, type UsageRecord } from '../index.ts';
import { MemoryDisk } from '../testing/memory-disk.ts';
import { usageRecord } from '../testing/usage-record.ts';

type Step =
  | { readonly kind: 'open' | 'settle' | 'store'; readonly request: number }
  | { readonly kind: 'room'; readonly bytes: number };

const requests = Array.from({ length: 30 }, (_, number) =>
  usageRecord(`request ${number}`, { outputTokens: number, model: `módel ${number}` }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constantFrom('open' as const, 'settle' as const, 'store' as const),
      request: fc.nat(requests.length - 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('room' as const), bytes: fc.nat(3000) }) },
);

/** What one life was told, and what the database has of it. */
interface Life {
  readonly opened: Set<UsageRecord>;
  readonly kept: Set<UsageRecord>;
  readonly rows: Map<string, UsageRecord>;
}

function live(steps: readonly Step[], disk: MemoryDisk, life: Life): void {
  const clock = new ManualClock();
  const spool = new Spool({
    ...{ folder: 'spool', holderId: 'a', maxBytes: 1e9, log: silentLog },
    ...{ disk, clock, segmentBytes: 3000 },
  });
  for (const each of steps) {
    if (each.kind === 'room') {
      disk.room = each.bytes < 1500 ? each.bytes : Number.POSITIVE_INFINITY;
      continue;
    }
    const request = requests[each.request];
    if (request === undefined) continue;
    try {
      takeStep(each.kind, request, { spool, disk, life });
    } catch {
      // Refused, since it could not be kept; or the process is dead.
    }
    if (disk.isDead) return;
  }
}

function takeStep(
  kind: 'open' | 'settle' | 'store',
  request: UsageRecord,
  { spool, disk, life }: { spool: Spool; disk: MemoryDisk; life: Life },
): void {
  const { opened, kept, rows } = life;
  const isOver = kept.has(request) || rows.has(request.requestId);
  if (kind === 'open' && !opened.has(request) && !isOver) {
    spool.open(request);
    if (!disk.isDead) opened.add(request);
  } else if (kind === 'settle' && opened.has(request) && !isOver) {
    spool.settle(request);
    if (!disk.isDead && spool.keeps(request.requestId)) kept.add(request);
  } else if (kind === 'store' && kept.has(request)) {
    rows.set(request.requestId, request);
    spool.forget(request.requestId);
  }
}

async function inherit(disk: MemoryDisk, rows: Life['rows']): Promise<void> {
  const write = async (_holderId: string, records: readonly UsageRecord[]) => {
    for (const record of records) if (!rows.has(record.requestId)) rows.set(record.requestId, record);
  };
  await adoptSpools({ folder: 'spool', disk, heir: { write }, log: silentLog });
}

test('whenever a process dies, each request that it began has one row, and each that it settled its own', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 250, size: 'max' }),
      fc.nat(30_000),
      fc.nat(4),
      async (steps, stepsToDeath, stepsOfHeir) => {
        const disk = new MemoryDisk();
        disk.stepsToDeath = stepsToDeath;
        const life: Life = { opened: new Set(), kept: new Set(), rows: new Map() };
        try {
          live(steps, disk, life);
        } catch {
          // It died before it had a spool.
        }
        disk.revive();
        disk.room = Number.POSITIVE_INFINITY;
        disk.stepsToDeath = stepsOfHeir;
        await inherit(disk, life.rows).catch(() => undefined);
        disk.revive();
        await inherit(disk, life.rows);
        expect([...disk.files.keys()]).toEqual([]);
        for (const request of requests) {
          const row = life.rows.get(request.requestId);
          if (life.kept.has(request)) expect(row).toEqual(request);
          else if (life.opened.has(request)) expect(row?.requestId).toBe(request.requestId);
          if (row !== undefined && row !== request && row.outcome === 'complete')
            expect(row).toEqual(request);
        }
      },
    ),
    { numRuns: 150 },
  );
});
