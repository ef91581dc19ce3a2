ALTER TABLE "models" ADD COLUMN "rescue" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "provider_credentials" ADD COLUMN "bound_to" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rescue" boolean;--> statement-breakpoint
UPDATE "provider_credentials" SET "bound_to" = coalesce(lower(substring("providers"."base_url" FROM '^[A-Za-z]+://[^/?#]+')), "providers"."kind")
	FROM "providers" WHERE "providers"."id" = "provider_credentials"."provider_id";
