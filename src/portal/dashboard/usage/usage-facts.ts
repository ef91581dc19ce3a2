/** What the usage page shows, its JSON tells and its CSV lists: read by a few reports at once. */
import type { Scope } from '../../../base/scope.ts';
import { type GroupKind, nameGroups, nameKeys, namePeople } from '../../../identity/index.ts';
import {
  readPeopleChoices,
  readUsageReport,
  type UsageReportAsked,
  type UsageSums,
} from '../../../usage/index.ts';
import type { PortalServices } from '../../services.ts';
import type { Figures } from '../../ui/figures.ts';
import type { FilterName, UsagePlan, UsageQuery } from './usage-query.ts';

export interface UsageFacts {
  readonly plan: UsagePlan;
  /** Null where there was no request. */
  readonly total: UsageSums | null;
  readonly before: UsageSums | null;
  /** The dearest first; empty where nothing was asked by. */
  readonly groups: readonly UsageSums[];
  readonly hasMore: boolean;
  /** Whether there are groups that have no course. */
  readonly hasOthers: boolean;
  /** Of the same groups in the span before, by the group. */
  readonly groupsBefore: ReadonlyMap<string | null, UsageSums>;
  /** Each step of the span, all groups together. */
  readonly course: readonly UsageSums[];
  /** Each step of the dearest groups: of as many as were asked for, or as one report can hold. */
  readonly courses: readonly UsageSums[];
  /** What the groups are called, where that is not what they are told apart by. */
  readonly names: ReadonlyMap<string, string>;
}

export interface UsagePageProps {
  readonly query: UsageQuery;
  readonly facts: UsageFacts;
  readonly named: Readonly<Partial<Record<FilterName, string>>>;
  readonly choices: readonly FilterChoices[];
  /** More than one's own: then there are people to tell apart. */
  readonly isWide: boolean;
}

/** What a filter can be set to, by what people call it. */
export interface FilterChoices {
  readonly name: NumberedFilter;
  readonly options: readonly { readonly id: number; readonly label: string }[];
}

const mostGroups = 50;
/** As many as the palette tells apart beside all others. */
export const mostSeries = 5;

export async function readUsageFacts(
  scope: Scope,
  { storage }: Pick<PortalServices, 'storage'>,
  plan: UsagePlan,
  series = mostSeries,
): Promise<UsageFacts> {
  const { db } = storage;
  const { where, dimension: by, every } = plan;
  const now = { from: new Date(plan.fromMs), to: new Date(plan.toMs), where };
  // Spreads of times take longer to add than all else.
  const isTimed = plan.metric === 'latency' || plan.metric === 'first';
  const ask = (asked: UsageReportAsked) => readUsageReport(scope, db, asked);
  const nothing = { rows: [], hasMore: false, total: null };
  const [before, course, groups] = await Promise.all([
    plan.before === null ? nothing : ask({ ...plan.before, where, timed: isTimed }),
    ask({ ...now, every, timed: isTimed, totalled: true }),
    by === undefined ? nothing : ask({ ...now, by, limit: Math.max(mostGroups, series) }),
  ]);
  // Which groups they are is known by then, and need not be found again.
  const told = groups.rows.map(({ group }) => group);
  const [groupsBefore, courses] = await Promise.all([
    told.length === 0 || plan.groupsBefore === null
      ? nothing
      : ask({ ...plan.groupsBefore, where, by, groups: told, timed: isTimed }),
    told.length === 0 ? nothing : ask({ ...now, by, every, groups: told.slice(0, series), timed: isTimed }),
  ]);
  return {
    plan,
    total: course.total,
    before: before.rows[0] ?? null,
    groups: groups.rows,
    hasMore: groups.hasMore,
    // A report by steps keeps fewer groups the more steps it has.
    hasOthers: groups.hasMore || told.length > series || courses.hasMore,
    groupsBefore: new Map(groupsBefore.rows.map((row) => [row.group, row])),
    course: course.rows,
    courses: courses.rows,
    names: await nameThose(scope, storage, plan.by, groups.rows),
  };
}

async function nameThose(
  scope: Scope,
  storage: PortalServices['storage'],
  by: UsagePlan['by'],
  groups: readonly UsageSums[],
): Promise<ReadonlyMap<string, string>> {
  const ids = groups.flatMap(({ group }) => (group === null ? [] : [Number(group)]));
  const names = await namesOf(scope, storage, by, ids);
  return new Map([...names].map(([id, name]) => [String(id), name]));
}

const groupKinds: readonly string[] = ['organisation', 'department', 'project'];
const isGroupKind = (name: string): name is GroupKind => groupKinds.includes(name);

function namesOf(
  scope: Scope,
  { db }: PortalServices['storage'],
  by: UsagePlan['by'],
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (by === 'key') return nameKeys(scope, db, ids);
  if (by === 'person') return namePeople(scope, db, ids);
  if (isGroupKind(by)) return nameGroups(scope, db, { kind: by, ids });
  return Promise.resolve(new Map());
}

const numberedFilters = ['key', 'person', 'organisation', 'department', 'project'] as const;
type NumberedFilter = (typeof numberedFilters)[number];

/** Of the span that is shown: filters that can be set to more than one thing. */
export async function readFilterChoices(
  scope: Scope,
  { storage }: Pick<PortalServices, 'storage'>,
  { fromMs, toMs }: UsagePlan,
): Promise<readonly FilterChoices[]> {
  const span = { from: new Date(fromMs), to: new Date(toMs) };
  const found = await readPeopleChoices(scope, storage.db, span);
  const ids = {
    key: found.keyIds,
    person: found.userIds,
    organisation: found.organisationIds,
    department: found.departmentIds,
    project: found.projectIds,
  } as const;
  return await Promise.all(
    numberedFilters
      .filter((name) => ids[name].length > 1)
      .map(async (name) => {
        const names = await namesOf(scope, storage, name, ids[name]);
        return { name, options: ids[name].map((id) => ({ id, label: names.get(id) ?? `#${id}` })) };
      }),
  );
}

/** What the ids of a filter are called. */
export async function nameFilters(
  scope: Scope,
  { storage }: Pick<PortalServices, 'storage'>,
  query: UsageQuery,
): Promise<Readonly<Partial<Record<FilterName, string>>>> {
  const asked = numberedFilters.flatMap((name) => {
    const id = query[name];
    return id === undefined ? [] : [{ name, id }];
  });
  const named = await Promise.all(
    asked.map(async ({ name, id }) => {
      const names = await namesOf(scope, storage, name, [id]);
      return [name, names.get(id) ?? `#${id}`] as const;
    }),
  );
  return Object.fromEntries(named);
}

const inputOf = (sums: UsageSums): number =>
  sums.inputTokens + sums.cacheReadTokens + sums.cacheWrite5mTokens + sums.cacheWrite1hTokens;
export const tokensOf = (sums: UsageSums): number => inputOf(sums) + sums.outputTokens;
export const errorRate = ({ errors, requests }: UsageSums): number =>
  requests === 0 ? 0 : errors / requests;
export const cachedShare = (sums: UsageSums): number =>
  inputOf(sums) === 0 ? 0 : sums.cacheReadTokens / inputOf(sums);

/** From one span to the next, with its sign; a dash where there is nothing to compare with. */
export function writeChange(figures: Figures, before: number | null, now: number | null): string {
  if (before === null || now === null || before === 0) return '–';
  const share = now / before - 1;
  // What is nothing once it is rounded has gone nowhere.
  const sign = Math.abs(share) < 0.005 ? '' : share > 0 ? '+' : '−';
  return sign + figures.percent(Math.abs(share), 0);
}
