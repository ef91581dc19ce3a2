/** /dashboard/request-log: the list, a request beside it, and the same as CSV and JSON. All of whoever the reader may see. */
import { z } from 'zod';
import { AppError } from '../../../base/errors.ts';
import { isAtLeast, nameGroups, nameKeys, namePeople } from '../../../identity/index.ts';
import {
  firstRequestIdAt,
  readUsage,
  readUsageChoices,
  readUsagePage,
  type StoredUsageRecord,
  type UsageFilter,
} from '../../../usage/index.ts';
import { requestsWords } from '../../languages/requests/index.ts';
import { type Asked, type Route, route } from '../../route.ts';
import { Split } from '../../ui/dialog.tsx';
import { renderPage } from '../../ui/document.tsx';
import { viewerOf } from '../../viewer.ts';
import { wordsFor } from '../../visit.ts';
import { exportRequests } from './export-requests.ts';
import { liveQuery, tailRequests, tailWindowMs } from './live-requests.tsx';
import { LogPage, type LogPageProps } from './log-page.tsx';
import {
  dayMs,
  filterOf,
  idBehind,
  listAt,
  logPath,
  logQuery,
  type PageQuery,
  pageQuery,
  timeOf,
  withCursor,
} from './log-query.ts';
import { readBars } from './request-bars.ts';
import { billOf, writeRequest } from './request-bill.ts';
import { type DetailProps, RequestDetail } from './request-detail.tsx';

const tag = 'Dashboard';
const requestParams = z.object({ request_id: z.string().max(200) });

export const requestLogRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: logPath,
    summary: 'The request log: requests that fit a filter, newest first',
    tag,
    access: 'member',
    answers: 'page',
    query: pageQuery,
    handle: showLog,
  }),
  route({
    method: 'GET',
    path: `${logPath}/export`,
    summary: 'The requests that fit a filter as CSV, newest first',
    tag,
    access: 'member',
    answers: 'csv',
    query: logQuery,
    refusals: { 429: 'The person has as many exports under way as they may', 503: 'This process has' },
    handle: exportRequests,
  }),
  route({
    method: 'GET',
    path: `${logPath}/live`,
    summary: 'New requests that fit a filter, as server-sent events with rows of the page',
    tag,
    access: 'member',
    answers: 'file',
    query: liveQuery,
    refusals: { 429: 'The person has as many under way as they may', 503: 'This process has' },
    handle: tailRequests,
  }),
  route({
    method: 'GET',
    path: `${logPath}/{request_id}`,
    summary: 'One request, beside the list that it was found in',
    tag,
    access: 'member',
    answers: 'page',
    params: requestParams,
    query: pageQuery,
    refusals: { 404: 'There is no such request in what the reader may see' },
    handle: showRequest,
  }),
  route({
    method: 'GET',
    path: `${logPath}/{request_id}/json`,
    summary: 'One request with its attempts, counts and the lines of its cost',
    tag,
    access: 'member',
    answers: 'json',
    params: requestParams,
    result: z.looseObject({ request_id: z.guid(), cost_usd: z.string() }),
    refusals: { 404: 'There is no such request in what the reader may see' },
    handle: tellRequest,
  }),
];

type AskedForList = Asked<'member', { query: typeof pageQuery }>;
type AskedForOne = Asked<'member', { params: typeof requestParams; query: typeof pageQuery }>;

const rowsAPage = 50;
const choicesDays = 30;

async function showLog(asked: AskedForList): Promise<Response> {
  const [viewer, page] = await Promise.all([viewerOf(asked.session, asked.services), readLog(asked, null)]);
  return renderPage(asked.context, {
    title: wordsFor(asked.context, requestsWords).title,
    layout: { kind: 'signed-in', viewer },
    islands: ['table', 'tail'],
    content: <LogPage {...page} />,
  });
}

async function showRequest(asked: AskedForOne): Promise<Response> {
  const { context, services, session } = asked;
  const record = await findRequest(asked);
  const [viewer, page, detail] = await Promise.all([
    viewerOf(session, services),
    readLog(asked, record.requestId),
    readDetail(asked, record),
  ]);
  const place = page.records.findIndex(({ requestId }) => requestId === record.requestId);
  const neighbour = (by: number) => (place === -1 ? null : (page.records[place + by]?.requestId ?? null));
  const words = wordsFor(context, requestsWords);
  return renderPage(context, {
    title: words.detail.title(record.model),
    layout: { kind: 'signed-in', viewer, isFlush: true },
    islands: ['table'],
    content: (
      <Split sheet={<RequestDetail {...detail} previous={neighbour(-1)} next={neighbour(1)} />}>
        <LogPage {...page} />
      </Split>
    ),
  });
}

async function tellRequest(asked: Asked<'member', { params: typeof requestParams }>): Promise<Response> {
  const record = await findRequest(asked);
  return asked.context.json(writeRequest(record, await billOf(record, asked.services)));
}

const requestId = z.guid().transform((id) => id.toLowerCase());

/** @throws AppError `not_found`, also for one of somebody else's. */
async function findRequest({
  scope,
  services,
  params,
}: Pick<AskedForOne, 'scope' | 'services' | 'params'>): Promise<StoredUsageRecord> {
  const id = requestId.safeParse(params.request_id).data;
  const [record] =
    id === undefined ? [] : await readUsage(scope, services.storage.db, { requestId: id, limit: 1 });
  if (record === undefined) throw new AppError({ code: 'not_found', public: 'There is no such request.' });
  return record;
}

async function readLog(
  { scope, services, query }: AskedForList,
  openId: string | null,
): Promise<LogPageProps> {
  const { storage, clock } = services;
  const { db } = storage;
  const nowMs = clock.nowMs();
  const { before, after } = query;
  const filter = filterOf(query, nowMs);
  const since = new Date(nowMs - choicesDays * dayMs);
  const [{ records, next }, choices, bars] = await Promise.all([
    readUsagePage(scope, db, { ...filter, before, after, limit: rowsAPage }),
    readUsageChoices(scope, db, since),
    openId === null ? readBars(scope, services, query) : null,
  ]);
  const chosen = query.key === undefined ? [] : [query.key];
  const keys = await nameKeys(scope, db, [
    ...records.map(({ keyId }) => keyId),
    ...choices.keyIds,
    ...chosen,
  ]);
  const named = await nameFilter(scope, db, query, keys);
  return {
    ...{ query, records, openId, bars, named },
    since: records[0]?.requestId ?? firstRequestIdAt(nowMs - tailWindowMs),
    ...stepsOf(query, records, next),
    searchedTo: next !== null && records.length < rowsAPage ? timeOf(next) : null,
    names: { keys },
    choices: {
      models: choices.models,
      providers: choices.providers,
      keys: choices.keyIds.map((id) => ({ id, name: keys.get(id) ?? `#${id}` })),
    },
  };
}

type Db = AskedForList['services']['storage']['db'];

async function nameFilter(
  scope: AskedForList['scope'],
  db: Db,
  { person, organisation, department, project, key }: PageQuery,
  keys: ReadonlyMap<number, string>,
): Promise<LogPageProps['named']> {
  const [people, organisations, departments, projects] = await Promise.all([
    namePeople(scope, db, person === undefined ? [] : [person]),
    nameGroups(scope, db, { kind: 'organisation', ids: organisation === undefined ? [] : [organisation] }),
    nameGroups(scope, db, { kind: 'department', ids: department === undefined ? [] : [department] }),
    nameGroups(scope, db, { kind: 'project', ids: project === undefined ? [] : [project] }),
  ]);
  const name = (id: number | undefined, names: ReadonlyMap<number, string>) =>
    id === undefined ? undefined : (names.get(id) ?? `#${id}`);
  const named = {
    person: name(person, people),
    organisation: name(organisation, organisations),
    department: name(department, departments),
    project: name(project, projects),
    key: name(key, keys),
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** Back and on from this page; a page that was reached backwards knows by its `next` whether there is more that way. */
function stepsOf(
  query: PageQuery,
  records: readonly StoredUsageRecord[],
  next: string | null,
): Pick<LogPageProps, 'newerHref' | 'olderHref'> {
  const first = records[0]?.requestId;
  const last = records.at(-1)?.requestId;
  const before = (id: string | null | undefined) =>
    id == null ? null : withCursor(query, { before: id, after: undefined });
  const after = (id: string | null | undefined) =>
    id == null ? null : withCursor(query, { after: id, before: undefined });
  if (query.after !== undefined) {
    return { newerHref: after(next), olderHref: before(last ?? idBehind(query.after)) };
  }
  const newer = query.before === undefined ? null : (after(first) ?? listAt(query));
  return { newerHref: newer, olderHref: before(next) };
}

const sessionRows = 8;

/** A request amid those that came just after and before it, newest first: each read is of rows next to it. */
async function readAround(
  { scope, services }: Pick<AskedForOne, 'scope' | 'services'>,
  record: StoredUsageRecord,
  filter: UsageFilter,
): Promise<readonly StoredUsageRecord[]> {
  const limit = sessionRows - 1;
  const read = (side: { before: string } | { after: string }) =>
    readUsagePage(scope, services.storage.db, { ...filter, ...side, limit });
  const { requestId } = record;
  const [later, earlier] = await Promise.all([read({ after: requestId }), read({ before: requestId })]);
  // Half of them on either side, or more where the other has fewer.
  const shownLater = Math.max(Math.ceil(limit / 2), limit - earlier.records.length);
  const after = later.records.slice(-shownLater);
  return [...after, record, ...earlier.records.slice(0, limit - after.length)];
}

async function readDetail(
  { scope, services, session, query }: AskedForOne,
  record: StoredUsageRecord,
): Promise<Omit<DetailProps, 'previous' | 'next'>> {
  const { db } = services.storage;
  const { keyId, userId, organisationId, departmentId, projectId, startedAt } = record;
  const sessionId = record.labels?.sessionId ?? null;
  const near = { from: new Date(startedAt.getTime() - dayMs), to: new Date(startedAt.getTime() + dayMs) };
  const ids = (id: number | null) => (id === null ? [] : [id]);
  const [bill, ofSession, keys, people, organisations, departments, projects] = await Promise.all([
    billOf(record, services),
    sessionId === null ? [] : readAround({ scope, services }, record, { ...near, userId, sessionId }),
    nameKeys(scope, db, [keyId]),
    namePeople(scope, db, [userId]),
    nameGroups(scope, db, { kind: 'organisation', ids: ids(organisationId) }),
    nameGroups(scope, db, { kind: 'department', ids: ids(departmentId) }),
    nameGroups(scope, db, { kind: 'project', ids: ids(projectId) }),
  ]);
  const nameIn = (names: ReadonlyMap<number, string>, id: number | null) =>
    id === null ? null : (names.get(id) ?? null);
  return {
    ...{ record, bill, query, ofSession },
    names: {
      key: nameIn(keys, keyId),
      person: nameIn(people, userId),
      organisation: nameIn(organisations, organisationId),
      department: nameIn(departments, departmentId),
      project: nameIn(projects, projectId),
    },
    credentials: isAtLeast(session.user.role, 'platform_admin') ? credentialsOf(services) : new Map(),
  };
}

/** Of whoever serves at present; one that is gone has no name any more. */
function credentialsOf({ catalogue }: AskedForOne['services']): ReadonlyMap<number, string> {
  const providers = catalogue
    .current()
    .models.flatMap(({ deployments }) => deployments.map((each) => each.provider));
  return new Map(providers.flatMap(({ credentials }) => credentials.map(({ id, name }) => [id, name])));
}
