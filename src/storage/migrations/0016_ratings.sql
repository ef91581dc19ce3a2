CREATE TABLE "usage_ratings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "usage_ratings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"request_id" uuid NOT NULL,
	"in_force" boolean DEFAULT true NOT NULL,
	"price_version_id" bigint NOT NULL,
	"cost_nano_usd" bigint NOT NULL,
	"charged_nano_usd" bigint NOT NULL,
	"journal_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_unsummed" ADD COLUMN "corrects" boolean;--> statement-breakpoint
ALTER TABLE "usage_ratings" ADD CONSTRAINT "usage_ratings_journal_id_journals_id_fk" FOREIGN KEY ("journal_id") REFERENCES "public"."journals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "usage_ratings_in_force" ON "usage_ratings" USING btree ("request_id") WHERE "usage_ratings"."in_force";--> statement-breakpoint
CREATE INDEX "usage_ratings_request" ON "usage_ratings" USING btree ("request_id","id");--> statement-breakpoint
CREATE INDEX "usage_ratings_journal" ON "usage_ratings" USING btree ("journal_id") WHERE "usage_ratings"."journal_id" IS NOT NULL;
