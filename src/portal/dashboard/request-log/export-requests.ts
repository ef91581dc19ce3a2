/** The request log as CSV: a page held at a time, ended with its reader, and few at once. */
import { readUsagePage, streamCsv, writeCsvLine } from '../../../usage/index.ts';
import type { Asked } from '../../route.ts';
import { filterOf, type logQuery } from './log-query.ts';
import { streamOf, UnderWay } from './under-way.ts';

const linesAPage = 1000;
/** Each holds a page and asks the database without a pause. */
const exports = new UnderWay(2, 8);

/** @throws AppError `rate_limited` or `server_busy` where too many are under way. */
export function exportRequests({
  context,
  services,
  session,
  scope,
  query,
}: Asked<'member', { query: typeof logQuery }>): Response {
  const { storage, clock } = services;
  const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
  context.header('content-type', 'text/csv; charset=utf-8');
  context.header('content-disposition', `attachment; filename="requests-${day}.csv"`);
  // Nobody would read it, nor end it.
  if (context.req.method === 'HEAD') return context.body(null);
  const filter = filterOf(query, clock.nowMs());
  const end = exports.begin(session.user.id);
  const lines = streamCsv(async (before) => {
    const { records, next } = await readUsagePage(scope, storage.db, {
      ...filter,
      before,
      limit: linesAPage,
    });
    return { lines: [records.map(writeCsvLine).join('')], next };
  });
  return context.body(streamOf(lines, end));
}
