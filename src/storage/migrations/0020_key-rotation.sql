ALTER TABLE "api_keys" ADD COLUMN "secret_number" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rotated_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "secret_last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_token_hash" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_token_prefix" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_token_last_four" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "revision" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_previous_token_hash" ON "api_keys" USING btree ("previous_token_hash");



