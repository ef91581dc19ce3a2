ALTER TABLE "api_keys" ADD COLUMN "shown_to_other" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD COLUMN "last_of_day" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "mail_outbox_turns" ON "mail_outbox" USING btree ("account_id","due_at","id") WHERE "mail_outbox"."sent_at" IS NULL AND "mail_outbox"."failed_at" IS NULL AND "mail_outbox"."event_id" IS NOT NULL;--> statement-breakpoint
UPDATE "api_keys" SET "shown_to_other" = true FROM "audit_entries" AS "entry"
	WHERE "entry"."subject_kind" = 'key' AND "entry"."subject_id" = "api_keys"."id"::text
		AND "entry"."action" IN ('key.created', 'key.rotated')
		AND "entry"."actor_kind" = 'person' AND "entry"."actor_id" <> "api_keys"."owner_id";
