/** Who asks in a database of that size: organisations, people and keys as a large firm has them, and what each key asks for. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/index.ts';

/**
 * - 12 organisations, the largest a third of all; 5 departments and 6 projects each; 700 people, a few of whom belong to none.
 * - 1000 keys: 160 of applications, which ask for most, and those of people. How much a key asks falls with its rank, as
 *   words do in a text.
 * - 30 models of 6 providers, a few of which get most; a key asks for one to five of them, for one of these half the time.
 * - Every other application says for which of its end users it asks, of 30 to 6000, some of them much more often; most
 *   applications and a fifth of the people have tags.
 */
const counts = { organisations: 12, people: 700, keys: 1000, applications: 160, models: 30 } as const;
/** Each stands for a key and a model, as often as they are asked together. */
export const slotCount = 200_000;

/** In a schema of its own beside the tables of the program, which knows nothing of it. */
export async function settleWorld(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    const run = (text: string) => transaction.execute(sql.raw(text));
    await run('CREATE SCHEMA usage_scale');
    // The same people in every database.
    await run('SELECT setseed(0.42)');
    await run(`INSERT INTO organisations (name, slug)
      SELECT 'Organisation ' || n, 'organisation-' || n FROM generate_series(1, ${counts.organisations}) AS n`);
    await run(`INSERT INTO departments (organisation_id, name)
      SELECT id, 'Department ' || n FROM organisations, generate_series(1, 5) AS n`);
    await run(`CREATE TABLE usage_scale.places AS SELECT id AS organisation_id,
        array(SELECT id FROM departments WHERE organisation_id = organisations.id ORDER BY id) AS departments,
        sum(1.0 / id) OVER (ORDER BY id) / sum(1.0 / id) OVER () AS until
      FROM organisations`);
    await run(`WITH dice AS (SELECT n, random() AS place, 1 + floor(5 * random())::integer AS department
        FROM generate_series(1, ${counts.people}) AS n)
      INSERT INTO users (email, name, role, organisation_id, department_id)
      SELECT 'person-' || n || '@scale.example', 'Person ' || n, CASE WHEN n = 1 THEN 'platform_owner' ELSE 'member' END,
        organisation_id, departments[department]
      FROM dice LEFT JOIN LATERAL (SELECT * FROM usage_scale.places WHERE until >= place AND n % 25 <> 1
        ORDER BY until LIMIT 1) AS lives ON true`);
    await run(`UPDATE users SET role = CASE place WHEN 1 THEN 'org_owner' ELSE 'org_admin' END FROM (
        SELECT id, row_number() OVER (PARTITION BY organisation_id ORDER BY id) AS place FROM users
        WHERE organisation_id IS NOT NULL) AS first WHERE first.id = users.id AND place <= 2`);
    await run(`UPDATE users SET role = 'department_admin' FROM (SELECT min(id) AS id FROM users
        WHERE role = 'member' AND department_id IS NOT NULL GROUP BY department_id) AS first WHERE first.id = users.id`);
    await run(`UPDATE organisations SET billing_user_id = users.id FROM users
      WHERE users.organisation_id = organisations.id AND users.role = 'org_owner'`);
    await run(`INSERT INTO projects (organisation_id, department_id, name)
      SELECT organisation_id, departments[1 + n % 5], 'Project ' || n FROM usage_scale.places, generate_series(1, 6) AS n`);
    await run(keys);
    await run(`INSERT INTO api_keys (owner_id, organisation_id, department_id, project_id, name, token_hash, token_prefix,
        token_last_four)
      SELECT owner_id, CASE WHEN project_id IS NOT NULL THEN organisation_id END,
        CASE WHEN project_id IS NOT NULL THEN project_department_id END, project_id,
        CASE WHEN is_application THEN 'application-' ELSE 'desk-' END || n,
        encode(sha256(convert_to('key ' || n, 'UTF8')), 'hex'), 'sluice_abcd', 'wxyz' FROM usage_scale.keys ORDER BY n`);
    await run(slots);
    // Who has filled it all says so here.
    await run('CREATE TABLE usage_scale.filled (days integer NOT NULL, to_at timestamptz NOT NULL)');
    await run('ANALYZE usage_scale.slots');
  });
}

const keys = `CREATE TABLE usage_scale.keys AS
  WITH drawn AS (
    SELECT n, n <= ${counts.applications} AS is_application, random() AS fame, random() AS people, random() AS labelled,
      -- The first person owns the platform; the others have a key each before anybody has two.
      CASE WHEN n > ${counts.applications} AND n - ${counts.applications} < ${counts.people} THEN n - ${counts.applications} + 1
        ELSE 2 + floor((${counts.people} - 1) * random())::integer END AS owner_place
    FROM generate_series(1, ${counts.keys}) AS n
  ), ranked AS (
    SELECT *, row_number() OVER (ORDER BY CASE WHEN is_application THEN fame ELSE 0.1 + fame END) AS rank FROM drawn
  ), owners AS (SELECT *, row_number() OVER (ORDER BY id) AS place FROM users)
  SELECT n, is_application, owners.id AS owner_id, owners.organisation_id,
    project.id AS project_id, project.department_id AS project_department_id,
    coalesce(project.department_id, owners.department_id) AS department_id,
    coalesce(billing_user_id, owners.id) AS payer_id, 1 / rank ^ 1.05 AS weight,
    CASE WHEN is_application AND n % 2 = 0 THEN floor(30 * 200 ^ (people ^ 2))::integer END AS end_users,
    CASE WHEN is_application AND labelled < 0.8 THEN ARRAY['stage=live', 'service=' || n]
      WHEN labelled < 0.2 AND owners.department_id IS NOT NULL THEN ARRAY['team=' || owners.department_id] END AS tags,
    CASE WHEN is_application AND labelled < 0.5 THEN 2 + floor(8 * people)::integer END AS features
  FROM ranked JOIN owners ON owners.place = owner_place
    LEFT JOIN organisations ON organisations.id = owners.organisation_id
    LEFT JOIN LATERAL (SELECT * FROM projects WHERE is_application AND organisation_id = owners.organisation_id
      ORDER BY id OFFSET n % 6 LIMIT 1) AS project ON true`;

const slots = `CREATE TABLE usage_scale.slots AS
  WITH choices AS (
    SELECT keys.*, api_keys.id AS key_id, choice, floor(${counts.models} * random() ^ 2.2)::integer AS model
    FROM usage_scale.keys JOIN api_keys ON token_hash = encode(sha256(convert_to('key ' || n, 'UTF8')), 'hex'),
      generate_series(0, n % CASE WHEN is_application THEN 3 ELSE 5 END) AS choice
  ), shares AS (
    SELECT *, sum(share) OVER (ORDER BY key_id, choice) / sum(share) OVER () AS until FROM (
      SELECT *, weight * 0.5 ^ choice / sum(0.5 ^ choice) OVER (PARTITION BY key_id) AS share FROM choices) AS shared
  ), ranges AS (SELECT *, lag(until, 1, 0.0) OVER (ORDER BY until) AS since FROM shares)
  SELECT slot, key_id, owner_id AS user_id, payer_id, organisation_id, department_id, project_id, is_application, end_users,
    tags, features, 'model-' || model AS model, 'provider-' || model % 6 AS provider, 'provider-' || (model + 1) % 6 AS backup
  FROM ranges, generate_series(ceil(since * ${slotCount})::integer, ceil(until * ${slotCount})::integer - 1) AS slot`;
