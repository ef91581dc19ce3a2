CREATE TABLE "told_addresses" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "told_addresses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"address_hash" text NOT NULL,
	"event_id" bigint NOT NULL,
	"told_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "notification_events_unspread";--> statement-breakpoint
ALTER TABLE "told_addresses" ADD CONSTRAINT "told_addresses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "told_addresses_once" ON "told_addresses" USING btree ("user_id","address_hash","event_id");--> statement-breakpoint
CREATE INDEX "told_addresses_at" ON "told_addresses" USING btree ("told_at");--> statement-breakpoint
CREATE INDEX "notification_events_turns" ON "notification_events" USING btree ("audience",coalesce("audience_id", 0),"id") WHERE "notification_events"."spread_at" IS NULL;