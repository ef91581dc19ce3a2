/** `/dashboard/keys`: the keys that a person may see, searched, filtered and in order; all of it in the address. */
import { z } from 'zod';
import type { Scope } from '../../../base/scope.ts';
import {
  type KeyPage,
  keySorts,
  keyStates,
  listDepartments,
  listKeyPage,
  listProjects,
} from '../../../identity/index.ts';
import { type BudgetSubject, listBudgets } from '../../../ledger/index.ts';
import { readSpendCourses, readSpendOfKeys } from '../../../usage/index.ts';
import { orEmpty } from '../../form-readers.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { type Asked, idField, type Route, route } from '../../route.ts';
import type { PortalServices } from '../../services.ts';
import { renderPage } from '../../ui/document.tsx';
import { viewerOf } from '../../viewer.ts';
import { wordsFor } from '../../visit.ts';
import { editKeyRoutes } from './edit-key.tsx';
import { keyActionRoutes } from './key-actions.ts';
import { keyDetailRoutes } from './key-detail.tsx';
import { KeyList } from './key-list.view.tsx';
import type { KeyListProps } from './key-props.ts';
import { keyTokenRoutes } from './key-token.tsx';
import { newKeyRoutes } from './new-key.tsx';
import { keysPath, keysTag } from './the-key.ts';

const pageSize = 50;
const dayMs = 86_400_000;
/** Of the spend that the list shows, today with it. */
const spendDays = 30;

const sortField = z
  .enum(keySorts.flatMap((name) => [name, `-${name}`] as const))
  .optional()
  .describe('A minus in front sorts downwards');
const listQuery = z.object({
  search: orEmpty(z.string().max(200)),
  state: orEmpty(z.enum(keyStates)),
  owner: orEmpty(idField),
  department: orEmpty(idField),
  project: orEmpty(idField),
  sort: sortField,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
});

export const keyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: keysPath,
    summary: 'The keys that the person may see',
    tag: keysTag,
    access: 'member',
    answers: 'page',
    query: listQuery,
    handle: showKeys,
  }),
  ...newKeyRoutes,
  ...editKeyRoutes,
  ...keyDetailRoutes,
  ...keyTokenRoutes,
  ...keyActionRoutes,
];

async function showKeys(asked: Asked<'member', { query: typeof listQuery }>): Promise<Response> {
  const { context, services, session, scope, query } = asked;
  const { db } = services.storage;
  const isOfAll = scope.whose === 'everybody';
  const [viewer, found, departments, projects] = await Promise.all([
    viewerOf(session, services),
    readPage(scope, services, query),
    isOfAll ? [] : listDepartments(scope, db),
    isOfAll ? [] : listProjects(scope, db),
  ]);
  const { title } = wordsFor(context, keysWords);
  const { pathname, search } = new URL(context.req.url);
  return await renderPage(context, {
    title,
    layout: { kind: 'signed-in', viewer },
    islands: ['table'],
    content: (
      <KeyList
        {...found}
        here={`${pathname}${search}`}
        query={query}
        pageSize={pageSize}
        departments={departments}
        projects={projects}
        isOfMany={scope.whose !== 'person'}
        user={session.user}
        nowMs={services.clock.nowMs()}
      />
    ),
  });
}

type Read = Pick<KeyListProps, 'keys' | 'total' | 'page' | 'spend' | 'courses' | 'budgets' | 'days'>;

/** What keys cost is read of those of the page alone, unless the list is in that order. */
async function readPage(
  scope: Scope,
  { storage: { db }, clock }: PortalServices,
  query: z.output<typeof listQuery>,
): Promise<Read> {
  const nowMs = clock.nowMs();
  const today = nowMs - (nowMs % dayMs);
  const days = Array.from({ length: spendDays }, (_, index) => today - (spendDays - 1 - index) * dayMs);
  const from = new Date(days[0] ?? today);
  const { sort = '-made' } = query;
  const name = keySorts.find((one) => one === sort.replace(/^-/, '')) ?? 'made';
  const whole = name === 'spend' ? await readSpendOfKeys(scope, db, { from }) : undefined;
  const page: KeyPage = await listKeyPage(scope, db, {
    nowMs,
    search: query.search?.trim(),
    state: query.state,
    ownerId: query.owner,
    departmentId: query.department,
    projectId: query.project,
    sort: name,
    isDescending: sort.startsWith('-'),
    spendNanoUsd: whole,
    page: query.page,
    pageSize,
  });
  const { keys } = page;
  const subjects = keys.map(({ id }): BudgetSubject => ({ kind: 'key', id }));
  const [courses, budgets] = await Promise.all([
    readSpendCourses(scope, db, { from, keys }),
    listBudgets(db, nowMs, subjects),
  ]);
  const sums = [...courses].map(([id, course]): [number, bigint] => [
    id,
    [...course.values()].reduce((sum, cost) => sum + cost, 0n),
  ]);
  return { ...page, days, courses, spend: new Map(sums), budgets };
}
