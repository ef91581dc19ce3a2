CREATE TABLE "audit_chains" (
	"chain" text PRIMARY KEY NOT NULL,
	"length" bigint NOT NULL,
	"head" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"chain" text NOT NULL,
	"sequence" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"action" text NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"user_id" bigint,
	"organisation_id" bigint,
	"department_id" bigint,
	"actor_kind" text NOT NULL,
	"actor_id" bigint,
	"details" json NOT NULL,
	"personal" json,
	"personal_salt" text,
	"personal_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_entries_actor_kind" CHECK ("audit_entries"."actor_kind" IN ('person', 'visitor', 'program'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_chain" ON "audit_entries" USING btree ("chain","sequence");--> statement-breakpoint
CREATE INDEX "audit_entries_user" ON "audit_entries" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_organisation" ON "audit_entries" USING btree ("organisation_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor" ON "audit_entries" USING btree ("actor_id","id");--> statement-breakpoint
CREATE FUNCTION "audit_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND NEW.personal IS NULL AND NEW.personal_salt IS NULL
		AND (to_jsonb(NEW) - 'personal' - 'personal_salt') = (to_jsonb(OLD) - 'personal' - 'personal_salt') THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'the audit trail is append-only: only what is personal can be removed from it' USING ERRCODE = '23514';
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "audit_append_only"();--> statement-breakpoint
CREATE TRIGGER "audit_entries_kept" BEFORE TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "append_only"();
