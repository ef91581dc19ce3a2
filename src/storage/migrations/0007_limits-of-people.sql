ALTER TABLE "users" ADD COLUMN "requests_per_minute" integer;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "tokens_per_minute" integer;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "concurrent_requests" integer;