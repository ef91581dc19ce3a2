/** What a dashboard asks of usage, by name. */
import { everybody, onlyOf, type Scope } from '../../src/base/scope.ts';
import type { Executor } from '../../src/storage/database.ts';
import { readUsageChoices, readUsagePage, readUsageReport, usageDimensions } from '../../src/usage/index.ts';
import type { UsageReportAsked } from '../../src/usage/report.ts';
import type { UsagePageAsked } from '../../src/usage/request-log.ts';

export interface Question {
  readonly name: string;
  ask(executor: Executor): Promise<unknown>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const organisation: Scope = { whose: 'organisation', organisationId: 7 };
const department: Scope = { whose: 'department', organisationId: 7, departmentId: 7 };
/** Who asks for more than most do. */
const person = onlyOf(6);

/** @param toMs the end of what there is. */
export function questions(toMs: number, days: number): readonly Question[] {
  const last = (ms: number) => ({ from: new Date(toMs - ms), to: new Date(toMs) });
  const all = last(days * dayMs);
  const report = (name: string, scope: Scope, asked: UsageReportAsked): Question => ({
    name: `${name}, ${writeScope(scope)}`,
    ask: (executor) => readUsageReport(scope, executor, asked),
  });
  const page = (name: string, scope: Scope, asked: UsagePageAsked): Question => ({
    name: `log: ${name}, ${writeScope(scope)}`,
    ask: (executor) => readUsagePage(scope, executor, { ...asked, limit: 50 }),
  });
  const month = last(30 * dayMs);
  const odd = { from: new Date(toMs - 30 * dayMs - 5 * hourMs), to: new Date(toMs - 3 * hourMs) };
  return [
    ...usageDimensions.map((by) => report(`30 days by ${by}`, everybody, { ...month, by })),
    ...usageDimensions.map((by) => report(`${days} days by ${by}`, everybody, { ...all, by })),
    ...usageDimensions.map((by) => report(`${days} days by ${by}`, organisation, { ...all, by })),
    ...usageDimensions.map((by) => report(`${days} days by ${by}`, person, { ...all, by })),
    report(`${days} days by key`, department, { ...all, by: 'key' }),
    report(`${days} days, each by model`, everybody, { ...all, every: 'day', by: 'model', limit: 10 }),
    report(`${days} days, each by key`, organisation, { ...all, every: 'day', by: 'key', limit: 10 }),
    report('24 hours, each', everybody, { ...last(dayMs), every: 'hour' }),
    report('24 hours, each by model', everybody, { ...last(dayMs), every: 'hour', by: 'model' }),
    report('24 hours by key', everybody, { ...last(dayMs), by: 'key' }),
    report('7 days, each hour', everybody, { ...last(7 * dayMs), every: 'hour' }),
    report('7 days, each hour by key', organisation, {
      ...last(7 * dayMs),
      every: 'hour',
      by: 'key',
      limit: 10,
    }),
    report('30 days less some hours by model', everybody, { ...odd, by: 'model' }),
    report('30 days, keys of a model', everybody, { ...month, by: 'key', where: { model: 'model-3' } }),
    report(`${days} days, models of a key`, everybody, { ...all, by: 'model', where: { key: 11 } }),
    report(`${days} days, models of a tag`, everybody, { ...all, by: 'model', where: { tag: 'team=90' } }),
    report(`${days} days, each by model, without times`, everybody, {
      ...{ ...all, every: 'day', by: 'model', limit: 5, timed: false },
    }),
    report(`${days} days, weeks`, everybody, { ...all, every: 'week', timed: false }),
    {
      name: 'choices of 30 days, everybody',
      ask: (executor) => readUsageChoices(everybody, executor, month.from),
    },
    page('newest', everybody, {}),
    page('failed', everybody, { failed: true }),
    page('dear', everybody, { minCostNanoUsd: 999_000n }),
    page('newest', organisation, {}),
    page('newest', person, {}),
    page('a day in the middle', everybody, { to: new Date(toMs - (days / 2) * dayMs) }),
    page('of a model', everybody, { model: 'model-3' }),
    page('of a key that asks seldom', everybody, { keyId: 1990 }),
    page('of a model that nobody asks for', everybody, { model: 'none' }),
    page('failed', organisation, { status: 502 }),
    page('of a tag', everybody, { tag: 'team=90' }),
  ];
}

function writeScope(scope: Scope): string {
  return scope.whose === 'everybody' ? 'everybody' : `one ${scope.whose}`;
}
