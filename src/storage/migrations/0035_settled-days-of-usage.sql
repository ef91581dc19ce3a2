CREATE TABLE "usage_settled" (
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- No day is settled yet: servers do that beside what they serve, and reports read the days until then.
INSERT INTO "usage_settled" ("until") VALUES ('1970-01-05T00:00:00Z');
--> statement-breakpoint
CREATE TABLE "usage_weekly" (
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
	CONSTRAINT "usage_weekly_pkey" PRIMARY KEY("facet","bucket_at","series_id")
);
--> statement-breakpoint
CREATE INDEX "usage_weekly_user" ON "usage_weekly" USING btree ("user_id","facet","bucket_at") WHERE "usage_weekly"."user_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_weekly_organisation" ON "usage_weekly" USING btree ("organisation_id","facet","bucket_at") WHERE "usage_weekly"."organisation_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_weekly_label" ON "usage_weekly" USING btree ("label","facet","bucket_at") WHERE "usage_weekly"."label" IS NOT NULL;
--> statement-breakpoint
-- Sums are read while it is made, and nothing is folded. What keeps readers out comes last, since a lock lasts until the end.
CREATE INDEX "usage_daily_label" ON "usage_daily" USING btree ("label","facet","bucket_at") WHERE "usage_daily"."label" IS NOT NULL;
--> statement-breakpoint
-- No row is written anew for it.
ALTER TABLE "usage_daily" ADD COLUMN "edition" smallint NOT NULL DEFAULT 1;
--> statement-breakpoint
-- Who does not say it would fold what comes late into the sums of days alone.
ALTER TABLE "usage_daily" ALTER COLUMN "edition" DROP DEFAULT;
