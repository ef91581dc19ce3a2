/** How many requests came when, above the log: asked of the sums where they can tell what the filter asks. */
import type { Scope } from '../../../base/scope.ts';
import { readUsageReport, type UsageReport, type UsageReportAsked } from '../../../usage/index.ts';
import type { PortalServices } from '../../services.ts';
import { dayMs, type PageQuery, spanOf } from './log-query.ts';

type BarsAsked = UsageReportAsked & { readonly every: 'hour' | 'day' };

const hourMs = 3_600_000;
/** More are thinner than a pixel. */
const mostBars = 200;

/** Null where the log alone knows, or the span is too short or too long for bars, or begins within a day of which there are no hours. */
function barsAsked(
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
  // Sums of days tell nothing of a list that begins within one.
  const isTellable = every === 'hour' || (fromMs % dayMs === 0 && (endMs - fromMs) / dayMs <= mostBars);
  if (endMs <= fromMs || !isTellable) return null;
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

export interface BarsOfRequests {
  readonly from: Date;
  /** The last day, where that is over; null for now. */
  readonly lastDay: Date | null;
  readonly bars: readonly { readonly all: number; readonly failed: number }[];
}

/** Null where the sums cannot tell what is asked. */
export async function readBars(
  scope: Scope,
  { storage, clock }: Pick<PortalServices, 'storage' | 'clock'>,
  query: PageQuery,
): Promise<BarsOfRequests | null> {
  const nowMs = clock.nowMs();
  const span = spanOf(query, nowMs);
  const asked = barsAsked(scope, query, span, nowMs);
  if (asked === null) return null;
  const { rows } = await readUsageReport(scope, storage.db, asked);
  const lastDay = span.toMs === null || span.toMs > nowMs ? null : new Date(span.toMs - dayMs);
  return { ...drawBars(rows, asked), lastDay };
}

/** One for each hour or day, also where nothing came. */
function drawBars(
  rows: UsageReport['rows'],
  { from, to, every }: BarsAsked,
): Pick<BarsOfRequests, 'from' | 'bars'> {
  const stepMs = every === 'hour' ? hourMs : dayMs;
  const firstMs = Math.floor(from.getTime() / stepMs) * stepMs;
  const byTime = new Map(rows.map((row) => [row.at?.getTime(), row]));
  const bars = Array.from({ length: Math.ceil((to.getTime() - firstMs) / stepMs) }, (_, index) => {
    const row = byTime.get(firstMs + index * stepMs);
    return { all: row?.requests ?? 0, failed: row?.errors ?? 0 };
  });
  return { from: new Date(firstMs), bars };
}
