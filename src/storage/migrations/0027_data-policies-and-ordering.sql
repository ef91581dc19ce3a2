ALTER TABLE "deployments" ADD COLUMN "weight" integer;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "quantization" text;--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "routing" text;--> statement-breakpoint
ALTER TABLE "providers" ADD COLUMN "data_policy" jsonb;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "data_policy" jsonb;--> statement-breakpoint
ALTER TABLE "departments" ADD COLUMN "data_policy" jsonb;--> statement-breakpoint
ALTER TABLE "organisations" ADD COLUMN "data_policy" jsonb;