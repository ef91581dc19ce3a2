/** How many requests came when, above the log: asked of the sums where they can tell what the filter asks. */
import type { Scope } from '../../../base/scope.ts';
import type { UsageReport, UsageReportAsked } from '../../../usage/index.ts';
import { dayMs, type PageQuery } from './log-query.ts';

export type BarsAsked = UsageReportAsked & { readonly every: 'hour' | 'day' };

const hourMs = 3_600_000;
/** More are thinner than a pixel. */
const mostBars = 200;

/** Null where the log alone knows, or the span is too short or too long for bars. */
export function barsAsked(
  scope: Scope,
  query: PageQuery,
  span: { readonly fromMs: number | null; readonly toMs: number | null },
  nowMs: number,
): BarsAsked | null {
  const { id, session, error, min_cost: cost, min_seconds: seconds, status, tag, end_user: endUser } = query;
  if ([id, session, error, cost, seconds].some((field) => field !== undefined)) return null;
  const isOneStatus = status !== undefined && /^\d+$/.test(status);
  if ((status !== undefined && !isOneStatus) || (tag !== undefined && endUser !== undefined)) return null;
  const { fromMs, toMs } = span;
  if (fromMs === null || query.range === 'hour') return null;
  const endMs = Math.min(toMs ?? nowMs, nowMs);
  const hasLabels = tag !== undefined || endUser !== undefined;
  const isOfPeople = scope.whose === 'person' || query.key !== undefined || query.person !== undefined;
  const isOfModels = query.model !== undefined || query.provider !== undefined;
  const hasHours = !hasLabels && !(isOfPeople && isOfModels);
  const every = hasHours && (endMs - fromMs) / hourMs <= mostBars ? 'hour' : 'day';
  if (endMs <= fromMs || (every === 'day' && (endMs - fromMs) / dayMs > mostBars)) return null;
  return {
    ...{ from: new Date(fromMs), to: new Date(endMs), every },
    where: {
      ...{ model: query.model, provider: query.provider, key: query.key, user: query.person },
      ...{
        organisation: query.organisation,
        department: query.department,
        project: query.project,
        tag,
        endUser,
      },
      status: isOneStatus ? Number(status) : undefined,
    },
  };
}

/** One for each hour or day, also where nothing came. */
export function drawBars(rows: UsageReport['rows'], { from, to, every }: BarsAsked) {
  const stepMs = every === 'hour' ? hourMs : dayMs;
  const firstMs = Math.floor(from.getTime() / stepMs) * stepMs;
  const byTime = new Map(rows.map((row) => [row.at?.getTime(), row]));
  const bars = Array.from({ length: Math.ceil((to.getTime() - firstMs) / stepMs) }, (_, index) => {
    const row = byTime.get(firstMs + index * stepMs);
    return { all: row?.requests ?? 0, failed: row?.errors ?? 0 };
  });
  return { from: new Date(firstMs), bars };
}
