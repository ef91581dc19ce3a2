/** Generated requests of a large firm, a statement a chunk, day after day up to a moment. */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/index.ts';
import { slotCount } from './world.ts';

export interface Filling {
  readonly rows: number;
  /** The end of what there is; so many days before it. */
  readonly toMs: number;
  readonly days: number;
  readonly told: (rows: number) => void;
}

const chunk = 50_000;
const dayMs = 86_400_000;

/**
 * Requests become half as many again over the time, and are a third of them at weekends; seven of ten come in the ten
 * hours of a working day. 3.5 % fail; 4 % of those that do not are answered by a model's other provider.
 */
export async function fill(db: Database, { rows, toMs, days, told }: Filling): Promise<void> {
  const weights = Array.from({ length: days }, (_, day) => weightOf(toMs - (days - day) * dayMs, day / days));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let done = 0;
  let reached = 0;
  for (const [day, weight] of weights.entries()) {
    reached += weight;
    const ofDay = Math.round((rows * reached) / whole) - done;
    for (let from = 0; from < ofDay; from += chunk) {
      const count = Math.min(chunk, ofDay - from);
      const startMs = toMs - (days - day) * dayMs;
      await db.execute(storing({ startMs, from, count, ofDay }));
      told(done + from + count);
    }
    done += ofDay;
  }
}

function weightOf(ms: number, share: number): number {
  const weekday = new Date(ms).getUTCDay();
  return (1 + 0.5 * share) * (weekday === 0 || weekday === 6 ? 0.35 : 1);
}

interface Chunk {
  readonly startMs: number;
  readonly from: number;
  readonly count: number;
  readonly ofDay: number;
}

const storing = ({ startMs, from, count, ofDay }: Chunk): SQL => sql`
  WITH dice AS MATERIALIZED (
    SELECT (${from}::double precision + place) / ${ofDay}::double precision AS share,
      floor(${slotCount}::integer * random())::integer AS slot, random() AS fate, random() AS pace, random() AS size,
      random() AS said, gen_random_uuid() AS id
    FROM generate_series(0, ${count - 1}::integer) AS place
  ), requests AS (
    SELECT slots.*, pace, size, said, id, ${startMs}::double precision + 3600000 * CASE WHEN share < 0.15 THEN share / 0.15 * 8
        WHEN share < 0.85 THEN 8 + (share - 0.15) / 0.7 * 10 ELSE 18 + (share - 0.85) / 0.15 * 6 END AS ms,
      (CASE WHEN fate < 0.965 THEN 200 WHEN fate < 0.975 THEN 400 WHEN fate < 0.99 THEN 429 WHEN fate < 0.996 THEN 502
        ELSE 503 END)::smallint AS status,
      CASE WHEN fate < 0.04 THEN backup ELSE provider END AS served, exp(6 + 3 * pace)::real AS took,
      (20 * exp(5 * size))::integer AS input, (10 * exp(5 * pace))::integer AS output
    FROM dice JOIN usage_scale.slots USING (slot)
  )
  INSERT INTO usage_records (request_id, started_at, cost_nano_usd, charged_nano_usd, key_id, user_id, payer_id,
      organisation_id, department_id, project_id, input_tokens, output_tokens, cache_read_tokens, duration_ms,
      first_byte_ms, overhead_ms, status, streamed, estimated, outcome, endpoint, model, provider, upstream_model,
      error_code, attempts, session_id, end_user, tags)
    SELECT (lpad(to_hex(ms::bigint), 12, '0') || '7' || substr(replace(id::text, '-', ''), 14))::uuid,
      to_timestamp(ms::bigint / 1000.0), cost, cost, key_id, user_id, payer_id, organisation_id, department_id, project_id,
      CASE WHEN status = 200 THEN input ELSE 0 END, CASE WHEN status = 200 THEN output ELSE 0 END,
      CASE WHEN status = 200 AND size > 0.7 THEN 3 * input END, took,
      CASE WHEN status = 200 AND said < 0.8 THEN took / 5 END, 0.3, status, said < 0.8, false,
      CASE WHEN status = 200 THEN 'complete' ELSE 'upstream_failed' END, '/v1/chat/completions', model, served,
      model || '-2026-01-01', CASE status WHEN 200 THEN NULL WHEN 400 THEN 'invalid_request' WHEN 429 THEN 'rate_limited'
        ELSE 'upstream_failed' END,
      jsonb_build_array(jsonb_build_array(served, 1, status, took, NULL)),
      CASE WHEN NOT is_application THEN 'session-' || key_id || '-' || floor(ms / 1200000)::bigint END,
      'end-user-' || floor(end_users * said ^ 3)::integer || '@' || key_id,
      nullif(tags || CASE WHEN features IS NULL THEN '{}'
        ELSE ARRAY['feature=' || key_id || '.' || floor(features * pace * size)::integer] END, '{}')
    FROM requests CROSS JOIN LATERAL (SELECT CASE WHEN status = 200
      THEN ((input + 5 * output) * (100 + 40 * (hashtext(model) % 20 + 20)))::bigint ELSE 0 END AS cost) AS priced
`;
