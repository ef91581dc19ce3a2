/** What a filter can be set to: the models, providers and keys that were asked with lately, those that cost most first. */
import { type SQL, sql } from 'drizzle-orm';
import type { Scope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { facets, facetTelling, type SumColumn } from './facets.ts';
import { columnsOfScope, dayMs, piecesOf, piecesSince, selectPieces } from './pieces.ts';
import { readSettled } from './settling.ts';

export interface UsageChoices {
  readonly models: readonly string[];
  readonly providers: readonly string[];
  readonly keyIds: readonly number[];
}

/** A longer menu is searched and not read. */
const mostChoices = 20;

/** Of whole days, in one statement over sums. */
export async function readUsageChoices(scope: Scope, executor: Executor, from: Date): Promise<UsageChoices> {
  const sumsOf = async (...columns: readonly SumColumn[]): Promise<SQL> => {
    const facet = facetTelling(new Set([...columns, ...columnsOfScope(scope)]), undefined);
    const pieces = facet === undefined ? [] : await piecesSince(executor, from, { facet, every: undefined });
    const selected = selectPieces(scope, pieces, {
      columns: [...columns, 'cost_nano_usd', 'requests'].join(', '),
    });
    return sql`(${sql.join([...selected], sql` UNION ALL `)}) AS found`;
  };
  const { rows } = await executor.execute<{ kind: string; choice: string }>(sql`
    WITH asked AS MATERIALIZED (
      SELECT model, provider, sum(cost_nano_usd) AS cost, sum(requests) AS requests
      FROM ${await sumsOf('model', 'provider')} GROUP BY 1, 2
    ), keyed AS (
      SELECT key_id::text AS choice, sum(cost_nano_usd) AS cost, sum(requests) AS requests
      FROM ${await sumsOf('key_id')} GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${mostChoices}
    )
    (SELECT 'model' AS kind, model AS choice, sum(cost) AS cost, sum(requests) AS requests FROM asked
      GROUP BY 2 ORDER BY 3 DESC, 4 DESC, 2 LIMIT ${mostChoices})
    UNION ALL
    (SELECT 'provider', provider, sum(cost) AS cost, sum(requests) AS requests FROM asked WHERE provider IS NOT NULL
      GROUP BY 2 ORDER BY 3 DESC, 4 DESC, 2 LIMIT ${mostChoices})
    UNION ALL SELECT 'key', choice, cost, requests FROM keyed`);
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ choice }) => choice);
  return { models: of('model'), providers: of('provider'), keyIds: of('key').map(Number) };
}

interface PeopleChoices {
  readonly keyIds: readonly number[];
  readonly userIds: readonly number[];
  readonly organisationIds: readonly number[];
  readonly departmentIds: readonly number[];
  readonly projectIds: readonly number[];
}

/** Of whole days: for whom and with which keys was asked, those that cost most first; in one statement over sums. */
export async function readPeopleChoices(
  scope: Scope,
  executor: Executor,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<PeopleChoices> {
  const { callers: facet } = facets;
  const settled = (await readSettled(executor))(facet);
  const pieces = piecesOf(
    { fromMs: Math.floor(from.getTime() / dayMs) * dayMs, toMs: Math.ceil(to.getTime() / dayMs) * dayMs },
    { facet, every: undefined, settled },
  );
  if (pieces.length === 0) {
    return { keyIds: [], userIds: [], organisationIds: [], departmentIds: [], projectIds: [] };
  }
  const found = selectPieces(scope, pieces, {
    columns: 'key_id, user_id, organisation_id, department_id, project_id, cost_nano_usd, requests',
  });
  const { rows } = await executor.execute<{ kind: string; choice: string }>(sql`
    WITH asked AS MATERIALIZED (
      SELECT key_id, user_id, organisation_id, department_id, project_id,
        sum(cost_nano_usd) AS cost, sum(requests) AS requests
      FROM (${sql.join([...found], sql` UNION ALL `)}) AS found GROUP BY 1, 2, 3, 4, 5
    ), summed AS (
      SELECT kind, choice, sum(cost) AS cost, sum(requests) AS requests FROM asked
      CROSS JOIN LATERAL (VALUES ('key', key_id), ('user', user_id), ('organisation', organisation_id),
        ('department', department_id), ('project', project_id)) AS told (kind, choice)
      WHERE choice IS NOT NULL GROUP BY 1, 2
    ), placed AS (
      SELECT kind, choice, row_number() OVER (PARTITION BY kind ORDER BY cost DESC, requests DESC, choice) AS place
      FROM summed
    )
    SELECT kind, choice::text AS choice FROM placed WHERE place <= ${mostChoices} ORDER BY kind, place`);
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ choice }) => Number(choice));
  return {
    keyIds: of('key'),
    userIds: of('user'),
    organisationIds: of('organisation'),
    departmentIds: of('department'),
    projectIds: of('project'),
  };
}
