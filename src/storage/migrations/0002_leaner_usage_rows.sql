-- Every column moves and most change their type, so that the rows are written anew once, not a column at a time.
CREATE TABLE "usage_records_leaner" (
	"request_id" uuid CONSTRAINT "usage_records_leaner_pkey" PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"cost_nano_usd" bigint NOT NULL,
	"charged_nano_usd" bigint NOT NULL,
	"key_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"payer_id" bigint NOT NULL,
	"input_tokens" integer NOT NULL,
	"output_tokens" integer NOT NULL,
	"cache_read_tokens" integer,
	"cache_write_5m_tokens" integer,
	"cache_write_1h_tokens" integer,
	"reasoning_tokens" integer,
	"audio_ms" integer,
	"characters" integer,
	"rerank_units" integer,
	"duration_ms" real NOT NULL,
	"first_byte_ms" real,
	"overhead_ms" real NOT NULL,
	"status" smallint NOT NULL,
	"streamed" boolean NOT NULL,
	"estimated" boolean NOT NULL,
	"outcome" text NOT NULL,
	"endpoint" text NOT NULL,
	"model" text NOT NULL,
	"provider" text,
	"upstream_model" text,
	"error_code" text,
	"attempts" jsonb DEFAULT '[]'::jsonb NOT NULL
);
--> statement-breakpoint
-- Of the tries before the last one only their number is known. A request id of another form keeps its row by its hash.
INSERT INTO "usage_records_leaner"
SELECT
	CASE
		WHEN request_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN request_id::uuid
		ELSE md5(request_id)::uuid
	END,
	started_at, cost_nano_usd, charged_nano_usd, key_id, user_id, payer_id, input_tokens, output_tokens,
	nullif(cache_read_tokens, 0), nullif(cache_write_5m_tokens, 0), nullif(cache_write_1h_tokens, 0),
	nullif(reasoning_tokens, 0), nullif(audio_ms, 0), nullif(characters, 0), nullif(rerank_units, 0),
	duration_ms, first_byte_ms, overhead_ms, greatest(0, least(status, 32767)), streamed, estimated,
	outcome, endpoint, model, provider, upstream_model, error_code,
	(
		SELECT coalesce(
			jsonb_agg(
				CASE
					WHEN try = attempts THEN jsonb_build_array(provider, NULL::int, NULL::int, NULL::int, error_code)
					ELSE '[null, null, null, null, null]'::jsonb
				END
				ORDER BY try
			),
			'[]'::jsonb
		)
		FROM generate_series(1, least(attempts, 100)) AS try
	)
FROM "usage_records";
--> statement-breakpoint
DROP TABLE "usage_records";
--> statement-breakpoint
ALTER TABLE "usage_records_leaner" RENAME TO "usage_records";
--> statement-breakpoint
ALTER INDEX "usage_records_leaner_pkey" RENAME TO "usage_records_pkey";
--> statement-breakpoint
CREATE INDEX "usage_records_user" ON "usage_records" USING btree ("user_id","started_at");
