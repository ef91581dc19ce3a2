/**
 * New requests as they are stored, over server-sent events. Each reader's are polled for in the database by small bounded
 * questions, so that storing a request costs nothing more, and any process can tell those of all.
 */
import { z } from 'zod';
import { idleComment } from '../../../base/sse.ts';
import { findSession, nameKeys, scopeOf } from '../../../identity/index.ts';
import { readUsagePage, type StoredUsageRecord, type UsageFilter } from '../../../usage/index.ts';
import { requestsWords } from '../../languages/requests/index.ts';
import type { Asked } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { readSessionToken } from '../../session-cookie.ts';
import { SpeechContext, speechIn } from '../../ui/speech.tsx';
import { Table } from '../../ui/table.tsx';
import { visitOf, wordsFor } from '../../visit.ts';
import { type CostDigits, useLogColumns } from './log-columns.tsx';
import { Bars } from './log-page.tsx';
import { filterOf, logQuery, requestAt, timeOf } from './log-query.ts';
import { readBars } from './request-bars.ts';
import { streamOf, UnderWay } from './under-way.ts';

const requestIdField = z.guid();
export const liveQuery = logQuery.extend({
  since: requestIdField.optional().describe('The newest request id that is known already'),
  digits: z.enum(['2', '4', '6']).default('4').describe('Of amounts, behind the point'),
});

const pollMs = 2_000;
/** A request is stored when it ends, under the time at which it began: those of so long before may still come. */
export const tailWindowMs = 5 * 60_000;
const mostScanned = 2_000;
const mostRows = 50;
/** Proxies and this server close what is silent. */
const commentEveryTurns = 7;
/** Whether somebody is still signed in, and what they see. */
const checkEveryTurns = 5;
/** The bars above the list are a report, which costs more than the newest rows do. */
const barsEveryTurns = 3;
/** Ten minutes: then a browser begins again by itself. */
const mostTurns = 300;

const tails = new UnderWay(4, 200);

type AskedLive = Asked<'member', { query: typeof liveQuery }>;

/** @throws AppError `rate_limited` or `server_busy` where too many are under way. */
export function tailRequests(asked: AskedLive): Response {
  const { context, session } = asked;
  context.header('content-type', 'text/event-stream; charset=utf-8');
  // A proxy that gathers what it passes on would hold it back.
  context.header('x-accel-buffering', 'no');
  if (context.req.method === 'HEAD') return context.body(null);
  const left = new AbortController();
  // A browser begins again by itself, where a place is free then.
  const finish = tails.begin(session.user.id, () => left.abort());
  const end = () => {
    finish();
    left.abort();
  };
  const signal = AbortSignal.any([left.signal, asked.services.stopping]);
  return context.body(streamOf(eventsOf(asked, signal), end));
}

async function* eventsOf(asked: AskedLive, signal: AbortSignal): AsyncGenerator<string> {
  const { context, services, query } = asked;
  const { clock } = services;
  const token = readSessionToken(context, services) ?? '';
  let scope: AskedLive['scope'] | null = asked.scope;
  const known = new Set<string>();
  // Whatever a client makes of the header, only a request id is one that it knows.
  const since = requestIdField.safeParse(context.req.header('last-event-id')).data ?? query.since;
  // What lies between is not told here: the page is read anew, which a browser does by itself.
  if (since !== undefined && (await isBehind(asked, since))) return yield 'data: {"isBehind":true}\n\n';
  for (const record of await readNewest(asked, scope)) {
    if (since === undefined || isKnownWith(record, since)) known.add(record.requestId);
  }
  yield idleComment;
  // The newest that is known: one that began earlier and ended later takes it no further back.
  let newest = since ?? '';
  let barsSince = -barsEveryTurns;
  let areBarsOld = false;
  for (let turn = 1; turn <= mostTurns && !signal.aborted; turn += 1) {
    const fresh = (await readNewest(asked, scope)).filter(({ requestId }) => !known.has(requestId));
    for (const { requestId } of fresh) {
      known.add(requestId);
      if (requestId > newest) newest = requestId;
    }
    forgetOldest(known);
    areBarsOld ||= fresh.length > 0;
    const hasBars = areBarsOld && turn - barsSince >= barsEveryTurns;
    if (hasBars) [barsSince, areBarsOld] = [turn, false];
    if (fresh.length > 0 || hasBars) yield await writeEvent({ ...asked, scope }, { fresh, hasBars, newest });
    else if (turn % commentEveryTurns === 0) yield idleComment;
    await clock.sleep(pollMs, signal);
    if (turn % checkEveryTurns === 0) scope = await scopeNow(services, token);
    if (scope === null) return;
  }
}

/**
 * Whether who knows this one knows the record too: it was stored when it ended, so that others may have come before it that
 * began later. A browser leaves out what it is told twice.
 */
const isKnownWith = ({ requestId, startedAt, durationMs }: StoredUsageRecord, since: string): boolean =>
  requestId === since || startedAt.getTime() + durationMs < timeOf(since).getTime();

/** Null once they are signed out, or may not look any more. */
async function scopeNow(services: PortalServices, token: string): Promise<AskedLive['scope'] | null> {
  const session = await findSession(services, token, { isCookieWritable: false });
  return session?.user.status === 'active' ? scopeOf(session.user, session.view) : null;
}

/** Whether something fits that came after what a browser knows, and before what is looked for here. */
async function isBehind({ services, scope, query }: AskedLive, since: string): Promise<boolean> {
  const nowMs = services.clock.nowMs();
  const { records, next } = await readUsagePage(scope, services.storage.db, {
    ...filterOf(query, nowMs),
    ...{ after: since, to: new Date(nowMs - tailWindowMs), limit: 1, mostScanned },
  });
  // Where not all was looked through there may be some.
  return records.length > 0 || next !== null;
}

/** Newest first. */
async function readNewest(
  { services, query }: AskedLive,
  scope: AskedLive['scope'],
): Promise<readonly StoredUsageRecord[]> {
  const nowMs = services.clock.nowMs();
  const asked = filterOf(query, nowMs);
  // The list may begin later still, with a day that has not come where the reader is ahead of UTC.
  const fromMs = Math.max(asked.from?.getTime() ?? 0, nowMs - tailWindowMs);
  const filter: UsageFilter = { ...asked, from: new Date(fromMs) };
  const { records } = await readUsagePage(scope, services.storage.db, {
    ...filter,
    limit: mostRows,
    mostScanned,
  });
  return records;
}

const mostKnown = 4 * mostRows;

/** Those were added first, and are outside of the window by the time. */
function forgetOldest(known: Set<string>): void {
  for (const id of known) {
    if (known.size <= mostKnown) return;
    known.delete(id);
  }
}

interface NewRequests {
  readonly fresh: readonly StoredUsageRecord[];
  readonly hasBars: boolean;
  /** Of all that are known, these and those before; empty where there is none. */
  readonly newest: string;
}

async function writeEvent(
  { context, services, scope, query }: AskedLive,
  { fresh, hasBars, newest }: NewRequests,
): Promise<string> {
  const keys = await nameKeys(
    scope,
    services.storage.db,
    fresh.map(({ keyId }) => keyId),
  );
  const { since: _, digits, ...filter } = query;
  const rows = (
    <SpeechContext.Provider value={speechIn(visitOf(context).language)}>
      <Rows
        caption={wordsFor(context, requestsWords).title}
        records={fresh}
        keys={keys}
        digits={Number(digits) as CostDigits}
        hrefOf={({ requestId }) => requestAt(filter, requestId)}
      />
    </SpeechContext.Provider>
  );
  const bars = hasBars ? await readBars(scope, services, filter) : null;
  const drawn =
    bars === null ? null : (
      <SpeechContext.Provider value={speechIn(visitOf(context).language)}>
        <Bars bars={bars} />
      </SpeechContext.Provider>
    );
  const event = {
    rows: fresh.length === 0 ? '' : String(rows),
    // There may be others between these and those before.
    ...(fresh.length === mostRows ? { isCut: true } : {}),
    ...(drawn === null ? {} : { bars: String(drawn) }),
  };
  return `${newest === '' ? '' : `id: ${newest}\n`}data: ${JSON.stringify(event)}\n\n`;
}

interface RowsProps {
  readonly caption: string;
  readonly records: readonly StoredUsageRecord[];
  readonly keys: ReadonlyMap<number, string>;
  readonly digits: CostDigits;
  readonly hrefOf: (record: StoredUsageRecord) => string;
}

/** The same rows as the page's, in a table that a browser can read. */
function Rows({ caption, records, keys, digits, hrefOf }: RowsProps) {
  const columns = useLogColumns(records, { names: { keys }, isNarrow: false, digits });
  return (
    <Table
      caption={caption}
      rows={records}
      keyOf={({ requestId }) => requestId}
      hrefOf={hrefOf}
      columns={columns}
      empty={null}
    />
  );
}
