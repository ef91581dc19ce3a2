CREATE TABLE "token_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "token_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"provider" text NOT NULL,
	"key_name" text,
	"model" text,
	"kind" text NOT NULL,
	"source" text NOT NULL,
	"error_kind" text,
	"duration_ms" bigint,
	"count" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE INDEX "token_events_at" ON "token_events" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "token_events_provider" ON "token_events" USING btree ("provider","at","id");