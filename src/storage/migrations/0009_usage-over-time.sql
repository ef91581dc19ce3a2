CREATE TABLE "usage_daily" (
	"bucket_at" timestamp with time zone NOT NULL,
	"facet" smallint NOT NULL,
	"series_id" uuid NOT NULL,
	"organisation_id" bigint,
	"department_id" bigint,
	"project_id" bigint,
	"user_id" bigint,
	"payer_id" bigint,
	"key_id" bigint,
	"status" smallint,
	"model" text,
	"provider" text,
	"label" text,
	"requests" bigint NOT NULL,
	"errors" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint,
	"cache_write_5m_tokens" bigint,
	"cache_write_1h_tokens" bigint,
	"reasoning_tokens" bigint,
	"audio_ms" bigint,
	"characters" bigint,
	"rerank_units" bigint,
	"cost_nano_usd" numeric NOT NULL,
	"charged_nano_usd" numeric NOT NULL,
	"durations" numeric,
	"first_bytes" numeric,
	"rates" numeric,
	CONSTRAINT "usage_daily_pkey" PRIMARY KEY("facet","bucket_at","series_id")
);
--> statement-breakpoint
CREATE TABLE "usage_hourly" (
	"bucket_at" timestamp with time zone NOT NULL,
	"facet" smallint NOT NULL,
	"series_id" uuid NOT NULL,
	"organisation_id" bigint,
	"department_id" bigint,
	"project_id" bigint,
	"user_id" bigint,
	"payer_id" bigint,
	"key_id" bigint,
	"status" smallint,
	"model" text,
	"provider" text,
	"label" text,
	"requests" bigint NOT NULL,
	"errors" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint,
	"cache_write_5m_tokens" bigint,
	"cache_write_1h_tokens" bigint,
	"reasoning_tokens" bigint,
	"audio_ms" bigint,
	"characters" bigint,
	"rerank_units" bigint,
	"cost_nano_usd" numeric NOT NULL,
	"charged_nano_usd" numeric NOT NULL,
	"durations" numeric,
	"first_bytes" numeric,
	"rates" numeric,
	CONSTRAINT "usage_hourly_pkey" PRIMARY KEY("facet","bucket_at","series_id")
);
--> statement-breakpoint
CREATE INDEX "usage_daily_user" ON "usage_daily" USING btree ("user_id","facet","bucket_at") WHERE "usage_daily"."user_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "usage_daily_organisation" ON "usage_daily" USING btree ("organisation_id","facet","bucket_at") WHERE "usage_daily"."organisation_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "usage_hourly_user" ON "usage_hourly" USING btree ("user_id","facet","bucket_at") WHERE "usage_hourly"."user_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "usage_hourly_organisation" ON "usage_hourly" USING btree ("organisation_id","facet","bucket_at") WHERE "usage_hourly"."organisation_id" IS NOT NULL;
--> statement-breakpoint
DROP INDEX "usage_records_user";
--> statement-breakpoint
DROP INDEX "usage_records_organisation";
--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "session_id" text, ADD COLUMN "end_user" text, ADD COLUMN "tags" text[];
--> statement-breakpoint
-- What is there becomes the first partition: everything until the end of this month. No row moves but those whose id says
-- a later time, as ids can that were not made here; they go to where everything goes that has no partition.
ALTER TABLE "usage_records" RENAME TO "usage_records_first";
--> statement-breakpoint
ALTER INDEX "usage_records_pkey" RENAME TO "usage_records_first_pkey";
--> statement-breakpoint
CREATE TABLE "usage_records" (LIKE "usage_records_first" INCLUDING DEFAULTS) PARTITION BY RANGE ("request_id");
--> statement-breakpoint
ALTER TABLE "usage_records" ADD CONSTRAINT "usage_records_pkey" PRIMARY KEY ("request_id");
--> statement-breakpoint
CREATE TABLE "usage_records_default" PARTITION OF "usage_records" DEFAULT;
--> statement-breakpoint
DO $$
DECLARE
	month_end timestamptz := date_trunc('month', now(), 'UTC') + interval '1 month';
	month_end_hex text := lpad(to_hex((extract(epoch FROM month_end) * 1000)::bigint), 12, '0');
	bound uuid := (month_end_hex || repeat('0', 20))::uuid;
BEGIN
	WITH later AS (DELETE FROM "usage_records_first" WHERE "request_id" >= bound RETURNING *)
	INSERT INTO "usage_records_default" SELECT * FROM later;
	EXECUTE format(
		'ALTER TABLE "usage_records" ATTACH PARTITION "usage_records_first" FOR VALUES FROM (MINVALUE) TO (%L)', bound
	);
END $$;
--> statement-breakpoint
CREATE INDEX "usage_records_user" ON "usage_records" USING btree ("user_id","request_id");
--> statement-breakpoint
CREATE INDEX "usage_records_organisation" ON "usage_records" USING btree ("organisation_id","request_id") WHERE "usage_records"."organisation_id" IS NOT NULL;
--> statement-breakpoint
-- The sums of the requests that there are.
WITH usage_summed AS (
  SELECT date_trunc('hour', started_at, 'UTC') AS hour_at, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, count(*) AS requests, count(*) FILTER (WHERE (status >= 400 OR error_code IS NOT NULL)) AS errors, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_5m_tokens) AS cache_write_5m_tokens, sum(cache_write_1h_tokens) AS cache_write_1h_tokens, sum(reasoning_tokens) AS reasoning_tokens, sum(audio_ms) AS audio_ms, sum(characters) AS characters, sum(rerank_units) AS rerank_units, sum(cost_nano_usd) AS cost_nano_usd, sum(charged_nano_usd) AS charged_nano_usd, sum(('1e' || (least(floor(3 * ln(greatest((duration_ms)::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL)) AS durations, sum(('1e' || (least(floor(3 * ln(greatest((first_byte_ms)::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL) AND streamed AND first_byte_ms IS NOT NULL) AS first_bytes, sum(('1e' || (least(floor(3 * ln(greatest((output_tokens * 1000.0 / greatest(CASE WHEN streamed THEN duration_ms - first_byte_ms ELSE duration_ms END, 1))::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL) AND output_tokens > 0 AND (NOT streamed OR first_byte_ms IS NOT NULL)) AS rates FROM "usage_records" GROUP BY hour_at, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider),
    usage_hourly_added AS (
  INSERT INTO "usage_hourly" AS kept (bucket_at, facet, series_id, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, label, requests, errors, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens, audio_ms, characters, rerank_units, cost_nano_usd, charged_nano_usd, durations, first_bytes, rates)
  SELECT bucket_at, facet, encode(substring(sha256(convert_to(ROW(organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, label)::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid AS series_id, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, label, requests, errors, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens, audio_ms, characters, rerank_units, cost_nano_usd, charged_nano_usd, durations, first_bytes, rates
  FROM (
  SELECT hour_at AS bucket_at,
    CASE WHEN grouping(model) = 1 THEN 2 WHEN grouping(key_id) = 1 THEN 1 ELSE 0 END AS facet,
    organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, NULL::text AS label, sum(requests) AS requests, sum(errors) AS errors, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_5m_tokens) AS cache_write_5m_tokens, sum(cache_write_1h_tokens) AS cache_write_1h_tokens, sum(reasoning_tokens) AS reasoning_tokens, sum(audio_ms) AS audio_ms, sum(characters) AS characters, sum(rerank_units) AS rerank_units, sum(cost_nano_usd) AS cost_nano_usd, sum(charged_nano_usd) AS charged_nano_usd, sum(durations) AS durations, sum(first_bytes) AS first_bytes, sum(rates) AS rates
  FROM usage_summed
  GROUP BY GROUPING SETS ((hour_at, organisation_id, department_id, project_id, status, model, provider), (hour_at, organisation_id, department_id, project_id, status, user_id, payer_id, key_id))) AS added ORDER BY facet, bucket_at, series_id
  ON CONFLICT (facet, bucket_at, series_id) DO UPDATE SET requests = kept.requests + excluded.requests, errors = kept.errors + excluded.errors, input_tokens = kept.input_tokens + excluded.input_tokens, output_tokens = kept.output_tokens + excluded.output_tokens, cache_read_tokens = coalesce(kept.cache_read_tokens + excluded.cache_read_tokens, kept.cache_read_tokens, excluded.cache_read_tokens), cache_write_5m_tokens = coalesce(kept.cache_write_5m_tokens + excluded.cache_write_5m_tokens, kept.cache_write_5m_tokens, excluded.cache_write_5m_tokens), cache_write_1h_tokens = coalesce(kept.cache_write_1h_tokens + excluded.cache_write_1h_tokens, kept.cache_write_1h_tokens, excluded.cache_write_1h_tokens), reasoning_tokens = coalesce(kept.reasoning_tokens + excluded.reasoning_tokens, kept.reasoning_tokens, excluded.reasoning_tokens), audio_ms = coalesce(kept.audio_ms + excluded.audio_ms, kept.audio_ms, excluded.audio_ms), characters = coalesce(kept.characters + excluded.characters, kept.characters, excluded.characters), rerank_units = coalesce(kept.rerank_units + excluded.rerank_units, kept.rerank_units, excluded.rerank_units), cost_nano_usd = kept.cost_nano_usd + excluded.cost_nano_usd, charged_nano_usd = kept.charged_nano_usd + excluded.charged_nano_usd, durations = coalesce(kept.durations + excluded.durations, kept.durations, excluded.durations), first_bytes = coalesce(kept.first_bytes + excluded.first_bytes, kept.first_bytes, excluded.first_bytes), rates = coalesce(kept.rates + excluded.rates, kept.rates, excluded.rates)),
    usage_daily_added AS (
  INSERT INTO "usage_daily" AS kept (bucket_at, facet, series_id, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, label, requests, errors, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens, audio_ms, characters, rerank_units, cost_nano_usd, charged_nano_usd, durations, first_bytes, rates)
  SELECT bucket_at, facet, encode(substring(sha256(convert_to(ROW(organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, label)::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid AS series_id, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, label, requests, errors, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, reasoning_tokens, audio_ms, characters, rerank_units, cost_nano_usd, charged_nano_usd, durations, first_bytes, rates
  FROM (
  SELECT date_trunc('day', hour_at, 'UTC') AS bucket_at,
    CASE WHEN grouping(model) = 1 THEN 2 WHEN grouping(key_id) = 1 THEN 1 ELSE 0 END AS facet,
    organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, NULL::text AS label, sum(requests) AS requests, sum(errors) AS errors, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_5m_tokens) AS cache_write_5m_tokens, sum(cache_write_1h_tokens) AS cache_write_1h_tokens, sum(reasoning_tokens) AS reasoning_tokens, sum(audio_ms) AS audio_ms, sum(characters) AS characters, sum(rerank_units) AS rerank_units, sum(cost_nano_usd) AS cost_nano_usd, sum(charged_nano_usd) AS charged_nano_usd, sum(durations) AS durations, sum(first_bytes) AS first_bytes, sum(rates) AS rates
  FROM usage_summed
  GROUP BY GROUPING SETS ((date_trunc('day', hour_at, 'UTC'), organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider), (date_trunc('day', hour_at, 'UTC'), organisation_id, department_id, project_id, status, model, provider), (date_trunc('day', hour_at, 'UTC'), organisation_id, department_id, project_id, status, user_id, payer_id, key_id)) UNION ALL 
  SELECT date_trunc('day', started_at, 'UTC'), 3, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, tag, count(*) AS requests, count(*) FILTER (WHERE (status >= 400 OR error_code IS NOT NULL)) AS errors, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_5m_tokens) AS cache_write_5m_tokens, sum(cache_write_1h_tokens) AS cache_write_1h_tokens, sum(reasoning_tokens) AS reasoning_tokens, sum(audio_ms) AS audio_ms, sum(characters) AS characters, sum(rerank_units) AS rerank_units, sum(cost_nano_usd) AS cost_nano_usd, sum(charged_nano_usd) AS charged_nano_usd, sum(('1e' || (least(floor(3 * ln(greatest((duration_ms)::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL)) AS durations, sum(('1e' || (least(floor(3 * ln(greatest((first_byte_ms)::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL) AND streamed AND first_byte_ms IS NOT NULL) AS first_bytes, sum(('1e' || (least(floor(3 * ln(greatest((output_tokens * 1000.0 / greatest(CASE WHEN streamed THEN duration_ms - first_byte_ms ELSE duration_ms END, 1))::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL) AND output_tokens > 0 AND (NOT streamed OR first_byte_ms IS NOT NULL)) AS rates
  FROM "usage_records" CROSS JOIN LATERAL (SELECT DISTINCT tag FROM unnest(tags) AS tag WHERE NOT tag ~* '[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{16}|[0-9]{10}') AS own
  WHERE tags IS NOT NULL
  GROUP BY date_trunc('day', started_at, 'UTC'), organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, tag
  UNION ALL
  SELECT date_trunc('day', started_at, 'UTC'), 4, organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, end_user, count(*) AS requests, count(*) FILTER (WHERE (status >= 400 OR error_code IS NOT NULL)) AS errors, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_5m_tokens) AS cache_write_5m_tokens, sum(cache_write_1h_tokens) AS cache_write_1h_tokens, sum(reasoning_tokens) AS reasoning_tokens, sum(audio_ms) AS audio_ms, sum(characters) AS characters, sum(rerank_units) AS rerank_units, sum(cost_nano_usd) AS cost_nano_usd, sum(charged_nano_usd) AS charged_nano_usd, sum(('1e' || (least(floor(3 * ln(greatest((duration_ms)::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL)) AS durations, sum(('1e' || (least(floor(3 * ln(greatest((first_byte_ms)::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL) AND streamed AND first_byte_ms IS NOT NULL) AS first_bytes, sum(('1e' || (least(floor(3 * ln(greatest((output_tokens * 1000.0 / greatest(CASE WHEN streamed THEN duration_ms - first_byte_ms ELSE duration_ms END, 1))::double precision, 1)) / ln(2::double precision)), 62) * 12)::integer)::numeric) FILTER (WHERE NOT (status >= 400 OR error_code IS NOT NULL) AND output_tokens > 0 AND (NOT streamed OR first_byte_ms IS NOT NULL)) AS rates
  FROM "usage_records" WHERE end_user IS NOT NULL
  GROUP BY date_trunc('day', started_at, 'UTC'), organisation_id, department_id, project_id, status, user_id, payer_id, key_id, model, provider, end_user) AS added ORDER BY facet, bucket_at, series_id
  ON CONFLICT (facet, bucket_at, series_id) DO UPDATE SET requests = kept.requests + excluded.requests, errors = kept.errors + excluded.errors, input_tokens = kept.input_tokens + excluded.input_tokens, output_tokens = kept.output_tokens + excluded.output_tokens, cache_read_tokens = coalesce(kept.cache_read_tokens + excluded.cache_read_tokens, kept.cache_read_tokens, excluded.cache_read_tokens), cache_write_5m_tokens = coalesce(kept.cache_write_5m_tokens + excluded.cache_write_5m_tokens, kept.cache_write_5m_tokens, excluded.cache_write_5m_tokens), cache_write_1h_tokens = coalesce(kept.cache_write_1h_tokens + excluded.cache_write_1h_tokens, kept.cache_write_1h_tokens, excluded.cache_write_1h_tokens), reasoning_tokens = coalesce(kept.reasoning_tokens + excluded.reasoning_tokens, kept.reasoning_tokens, excluded.reasoning_tokens), audio_ms = coalesce(kept.audio_ms + excluded.audio_ms, kept.audio_ms, excluded.audio_ms), characters = coalesce(kept.characters + excluded.characters, kept.characters, excluded.characters), rerank_units = coalesce(kept.rerank_units + excluded.rerank_units, kept.rerank_units, excluded.rerank_units), cost_nano_usd = kept.cost_nano_usd + excluded.cost_nano_usd, charged_nano_usd = kept.charged_nano_usd + excluded.charged_nano_usd, durations = coalesce(kept.durations + excluded.durations, kept.durations, excluded.durations), first_bytes = coalesce(kept.first_bytes + excluded.first_bytes, kept.first_bytes, excluded.first_bytes), rates = coalesce(kept.rates + excluded.rates, kept.rates, excluded.rates))
SELECT 1;
