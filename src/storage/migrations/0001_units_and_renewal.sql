ALTER TABLE "provider_credentials" ADD COLUMN "declared_hash" text;--> statement-breakpoint
ALTER TABLE "provider_credentials" ADD COLUMN "renewing_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "audio_ms" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "characters" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "rerank_units" integer DEFAULT 0 NOT NULL;