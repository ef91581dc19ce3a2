/** `/dashboard/keys/{key_id}`: one key, with what it did, what is left to it, and what can be done to it. */
import { listActivity, nameThings } from '../../../audit/index.ts';
import { everybody, type Scope } from '../../../base/scope.ts';
import { type ApiKey, findUser, listDepartments, listProjects } from '../../../identity/index.ts';
import { listBudgets } from '../../../ledger/index.ts';
import { readUsagePage, readUsageReport } from '../../../usage/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { type Asked, type Route, route } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { renderPage } from '../../ui/document.tsx';
import { viewerOf } from '../../viewer.ts';
import { visitOf, wordsFor } from '../../visit.ts';
import { KeyDetail } from './key-detail.view.tsx';
import { readLimits } from './key-limits.ts';
import { modelForKey } from './key-samples.ts';
import { keyTerms } from './key-terms.ts';
import { keyParams, keyRefusals, keysPath, keysTag, requireTheKey, rightsTo } from './the-key.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const shownDays = 30;
const shownRequests = 10;
const shownModels = 12;
const shownEntries = 8;

export const keyDetailRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/keys/{key_id}',
    summary: 'One key: usage, budgets, limits, locks, its latest requests',
    tag: keysTag,
    access: 'member',
    answers: 'page',
    params: keyParams,
    refusals: keyRefusals,
    handle: showKey,
  }),
];

async function showKey(asked: Asked<'member', { params: typeof keyParams }>): Promise<Response> {
  const { context, services, session, scope, params } = asked;
  const key = await requireTheKey(scope, services, params.key_id);
  const [viewer, known] = await Promise.all([viewerOf(session, services), readAbout(scope, services, key)]);
  const terms = await keyTerms(services, key);
  const { title } = wordsFor(context, keysWords);
  return await renderPage(context, {
    title: key.name,
    layout: { kind: 'signed-in', viewer, trail: [{ href: keysPath, label: title }] },
    islands: ['table', 'chart', 'form'],
    content: (
      <KeyDetail
        {...known}
        apiKey={key}
        {...(await readRights(asked, key))}
        model={modelForKey(services.catalogue.current(), { key, terms }, session.user.billingExempt)}
        address={visitOf(context).address}
        viewerId={session.user.id}
        nowMs={services.clock.nowMs()}
      />
    ),
  });
}

async function readRights({ session: { user }, scope, services }: Asked<'member'>, key: ApiKey) {
  if (key.ownerId === user.id) return rightsTo(key, user, undefined);
  const { db } = services.storage;
  const owner = await findUser(everybody, db, key.ownerId);
  const isInScope = (await findUser(scope, db, key.ownerId)) !== undefined;
  return rightsTo(key, user, owner && { role: owner.role, isInScope });
}

/** Everything that the page shows beside the key's own fields, in one round. */
async function readAbout(scope: Scope, services: PortalServices, key: ApiKey) {
  const { storage, clock } = services;
  const { db } = storage;
  const nowMs = clock.nowMs();
  const today = nowMs - (nowMs % dayMs);
  const from = new Date(today - (shownDays - 1) * dayMs);
  const span = { from, to: new Date(today + dayMs), where: { key: key.id, user: key.ownerId } };
  const [byDay, byModel, budgets, latest, activity, limitReport, departments, projects] = await Promise.all([
    readUsageReport(scope, db, { ...span, every: 'day' }),
    readUsageReport(scope, db, { ...span, by: 'model', limit: shownModels }),
    listBudgets(db, nowMs, [{ kind: 'key', id: key.id }]),
    // Its owner may have used other keys ever since, whose rows would be looked through first.
    readUsagePage(scope, db, { ...untilUsed(key), userId: key.ownerId, keyId: key.id, limit: shownRequests }),
    listActivity(scope, db, { subject: { kind: 'key', id: String(key.id) }, limit: shownEntries }),
    readLimits(services, key),
    key.departmentId === null ? [] : listDepartments(placeOf(key), db),
    key.projectId === null ? [] : listProjects(placeOf(key), db),
  ]);
  const days = Array.from({ length: shownDays }, (_, index) => from.getTime() + index * dayMs);
  return {
    days,
    byDay: byDay.rows,
    byModel: byModel.rows,
    hasMoreModels: byModel.hasMore,
    budgets,
    latest: latest.records,
    hasOlder: latest.next !== null,
    activity: activity.entries,
    names: await nameThings(scope, db, activity.entries),
    limitReport,
    place: [
      departments.find(({ id }) => id === key.departmentId)?.name,
      projects.find(({ id }) => id === key.projectId)?.name,
    ].filter((name) => name !== undefined),
  };
}

/** A request is stored under the time at which it began. */
const untilUsed = ({ lastUsedAt }: ApiKey) =>
  lastUsedAt === null ? {} : { to: new Date(lastUsedAt.getTime() + minuteMs) };

const placeOf = ({ organisationId }: ApiKey): Scope => ({
  whose: 'organisation',
  organisationId: organisationId ?? 0,
});
