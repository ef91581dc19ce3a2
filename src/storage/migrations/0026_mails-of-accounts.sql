ALTER TABLE "mail_outbox" ADD COLUMN "account_id" bigint;--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD CONSTRAINT "mail_outbox_account_id_users_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_outbox_due_own" ON "mail_outbox" USING btree ("due_at") WHERE "mail_outbox"."sent_at" IS NULL AND "mail_outbox"."failed_at" IS NULL AND "mail_outbox"."event_id" IS NULL;--> statement-breakpoint
CREATE INDEX "mail_outbox_over" ON "mail_outbox" USING btree (coalesce("sent_at", "failed_at")) WHERE coalesce("mail_outbox"."sent_at", "mail_outbox"."failed_at") IS NOT NULL;--> statement-breakpoint
CREATE INDEX "mail_outbox_account" ON "mail_outbox" USING btree ("account_id","id") WHERE "mail_outbox"."account_id" IS NOT NULL;--> statement-breakpoint
UPDATE "mail_outbox" SET "account_id" = "contact"."user_id" FROM "notification_contacts" AS "contact" WHERE "contact"."id" = "mail_outbox"."contact_id";
