ALTER TABLE "provider_credentials" ADD COLUMN "max_concurrent" integer;--> statement-breakpoint
ALTER TABLE "provider_credentials" ADD COLUMN "requests_per_minute" integer;