/** Generated requests of a busy installation, a statement a chunk: rows, and the sums as they are folded. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/index.ts';
import { addToRollups } from '../../src/usage/rollups.ts';

export interface Filling {
  readonly rows: number;
  readonly fromMs: number;
  readonly days: number;
  readonly told: (rows: number) => void;
}

const chunk = 20_000;
const dayMs = 86_400_000;

/**
 * 2000 keys of 1000 people in 50 organisations, few of whom ask for most, each for three of 20 models; a thirtieth
 * fails, a fifth has tags, a tenth an end user.
 */
export async function fill(db: Database, { rows, fromMs, days, told }: Filling): Promise<void> {
  for (let done = 0; done < rows; done += chunk) {
    const count = Math.min(chunk, rows - done);
    const startMs = fromMs + (done / rows) * days * dayMs;
    const stepMs = (days * dayMs) / rows;
    await db.execute(sql`
      WITH dice AS MATERIALIZED (
        SELECT ${startMs}::double precision + place * ${stepMs}::double precision AS ms,
          floor(2000 * random() ^ 3)::integer AS key, floor(3 * random())::integer AS choice,
          random() AS fate, random() AS pace, random() AS size, random() AS said, gen_random_uuid() AS id
        FROM generate_series(0, ${count - 1}::integer) AS place
      ), requests AS (
        SELECT *, key / 2 + 1 AS person, (key * 7 + choice * 3) % 20 AS model,
          (CASE WHEN fate < 0.97 THEN 200 WHEN fate < 0.99 THEN 429 ELSE 502 END)::smallint AS status,
          exp(6 + 3 * pace)::real AS took
        FROM dice
      ), stored AS (
        INSERT INTO usage_records (request_id, started_at, cost_nano_usd, charged_nano_usd, key_id, user_id, payer_id,
          organisation_id, department_id, project_id, input_tokens, output_tokens, cache_read_tokens, duration_ms,
          first_byte_ms, overhead_ms, status, streamed, estimated, outcome, endpoint, model, provider, upstream_model,
          error_code, attempts, session_id, end_user, tags)
        SELECT (lpad(to_hex(ms::bigint), 12, '0') || '7' || substr(replace(id::text, '-', ''), 14))::uuid,
          to_timestamp(ms / 1000), (1e6 * size)::bigint, (1e6 * size)::bigint, key + 1, person, person % 50 + 1,
          person % 50 + 1, person % 200 + 1, NULL, (3000 * size)::integer, (500 * pace)::integer,
          CASE WHEN size > 0.7 THEN (9000 * size)::integer END, took, took / 5, 0.3, status, choice > 0, false,
          CASE WHEN status = 200 THEN 'complete' ELSE 'upstream_failed' END, '/v1/chat/completions',
          'model-' || model, 'provider-' || model % 5, 'model-' || model || '-2026-01-01',
          CASE WHEN status > 200 THEN 'upstream_failed' END, '[["provider-1", 1, 200, 301.25, null]]'::jsonb,
          NULL, CASE WHEN said < 0.1 THEN 'end-user-' || floor(said * 50000)::integer END,
          CASE WHEN said > 0.8 THEN ARRAY['team=' || floor(said * 100)::integer, 'stage=live'] END
        FROM requests RETURNING *
      ), fresh AS (SELECT *, NULL::boolean AS corrects FROM stored), ${addToRollups('fresh')} SELECT 1`);
    told(done + count);
  }
}
