/** The request log as CSV: a page held at a time, ended with its reader, and few at once. */
import { AppError } from '../../../base/errors.ts';
import { readUsagePage, streamCsv, writeCsvLine } from '../../../usage/index.ts';
import type { Asked } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { filterOf, type logQuery } from './log-query.ts';

const linesAPage = 1000;
/** Each holds a page and asks the database without a pause. */
const mostOfAPerson = 2;
const mostOfAll = 8;

/** Who has how many under way in this process. */
const underWay = new WeakMap<PortalServices['storage'], Map<number, number>>();

/** @throws AppError `rate_limited` or `server_busy` where too many are under way. */
export function exportRequests({
  context,
  services,
  session,
  scope,
  query,
}: Asked<'member', { query: typeof logQuery }>): Response {
  const { storage, clock } = services;
  const filter = filterOf(query, clock.nowMs());
  const end = begin(storage, session.user.id);
  const lines = streamCsv(async (before) => {
    const { records, next } = await readUsagePage(scope, storage.db, {
      ...filter,
      before,
      limit: linesAPage,
    });
    return { lines: [records.map(writeCsvLine).join('')], next };
  });
  const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
  context.header('content-type', 'text/csv; charset=utf-8');
  context.header('content-disposition', `attachment; filename="requests-${day}.csv"`);
  return context.body(streamOf(lines, end));
}

function begin(storage: PortalServices['storage'], userId: number): () => void {
  const counts = underWay.get(storage) ?? new Map<number, number>();
  underWay.set(storage, counts);
  const own = counts.get(userId) ?? 0;
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (own >= mostOfAPerson) {
    throw new AppError({
      code: 'rate_limited',
      public: `${own} exports of yours are under way: wait until one is done.`,
      retryAfterSeconds: 10,
    });
  }
  if (all >= mostOfAll) {
    throw new AppError({
      code: 'server_busy',
      public: 'Too many exports are under way: try again in a moment.',
      retryAfterSeconds: 10,
    });
  }
  counts.set(userId, own + 1);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    const left = (counts.get(userId) ?? 1) - 1;
    if (left === 0) counts.delete(userId);
    else counts.set(userId, left);
  };
}

/** Pulled by its reader, so that no more is read than is taken. */
function streamOf(lines: AsyncGenerator<string>, end: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await lines.next();
        if (done !== true) return controller.enqueue(encoder.encode(value));
        controller.close();
        end();
      } catch (error) {
        end();
        throw error;
      }
    },
    async cancel() {
      end();
      await lines.return(undefined);
    },
  });
}
