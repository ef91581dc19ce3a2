CREATE TABLE "notification_contacts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notification_contacts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"user_id" bigint NOT NULL,
	"email" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"phone" text DEFAULT '' NOT NULL,
	"main" boolean DEFAULT false NOT NULL,
	"language" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_contacts_of_user" UNIQUE("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "notification_kinds" (
	"kind" text PRIMARY KEY NOT NULL,
	"on_by_default" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_preferences" (
	"user_id" bigint NOT NULL,
	"contact_id" bigint NOT NULL,
	"medium" text NOT NULL,
	"kind" text NOT NULL,
	"enabled" boolean NOT NULL,
	CONSTRAINT "notification_preferences_user_id_contact_id_medium_kind_pk" PRIMARY KEY("user_id","contact_id","medium","kind")
);
--> statement-breakpoint
CREATE TABLE "inference_servers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "inference_servers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"base_url" text NOT NULL,
	"status" text NOT NULL,
	"running_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inference_servers_of_user" UNIQUE("user_id","id")
);
--> statement-breakpoint
ALTER TABLE "notification_contacts" ADD CONSTRAINT "notification_contacts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_contact" FOREIGN KEY ("user_id","contact_id") REFERENCES "public"."notification_contacts"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inference_servers" ADD CONSTRAINT "inference_servers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_contacts_uuid" ON "notification_contacts" USING btree ("uuid");--> statement-breakpoint
CREATE UNIQUE INDEX "notification_contacts_main" ON "notification_contacts" USING btree ("user_id") WHERE "notification_contacts"."main";--> statement-breakpoint
CREATE INDEX "notification_preferences_on" ON "notification_preferences" USING btree ("user_id","kind","medium","contact_id") WHERE "notification_preferences"."enabled";--> statement-breakpoint
CREATE UNIQUE INDEX "inference_servers_uuid" ON "inference_servers" USING btree ("uuid");--> statement-breakpoint
INSERT INTO "notification_kinds" ("kind", "on_by_default") VALUES
	('trial_expire', true), ('trial_expire_soon', true),
	('payment', true), ('payment_approved', true), ('payment_cancelled', true), ('payment_failed', true), ('payment_withheld', true),
	('subscription_renewal_success', true), ('subscription_renewal_failure', true),
	('subscription_renewal_soon', false), ('subscription_renewal_very_soon', false),
	('subscription_expire', true), ('subscription_expire_soon', true), ('subscription_expire_very_soon', true),
	('out_of_money_soon', true), ('out_of_money_very_soon', true),
	('stop_servers', true), ('drives_delete', false), ('drives_delete_soon', false),
	('new_account', true), ('reset_password', true), ('random_upgrade', false);--> statement-breakpoint
CREATE FUNCTION "add_main_contact"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "notification_contacts" ("user_id", "email", "name", "main", "created_at")
		VALUES (NEW."id", NEW."email", NEW."name", true, NEW."created_at");
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "move_main_contact"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- A name that was given to the contact itself stays; so does an address of its own until the account's changes.
	UPDATE "notification_contacts" SET
		"email" = CASE WHEN NEW."email" = OLD."email" THEN "email" ELSE NEW."email" END,
		"name" = CASE WHEN "name" = OLD."name" THEN NEW."name" ELSE "name" END
		WHERE "user_id" = NEW."id" AND "main";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "add_preferences"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "notification_preferences" ("user_id", "contact_id", "medium", "kind", "enabled")
		SELECT NEW."user_id", NEW."id", 'email', "kind", "on_by_default" FROM "notification_kinds";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_main_contact" AFTER INSERT ON "users" FOR EACH ROW EXECUTE FUNCTION "add_main_contact"();--> statement-breakpoint
CREATE TRIGGER "users_move_main_contact" AFTER UPDATE OF "email", "name" ON "users" FOR EACH ROW
	WHEN (OLD."email" <> NEW."email" OR OLD."name" <> NEW."name") EXECUTE FUNCTION "move_main_contact"();--> statement-breakpoint
CREATE TRIGGER "notification_contacts_preferences" AFTER INSERT ON "notification_contacts" FOR EACH ROW EXECUTE FUNCTION "add_preferences"();--> statement-breakpoint
INSERT INTO "notification_contacts" ("user_id", "email", "name", "main", "created_at")
	SELECT "id", "email", "name", true, "created_at" FROM "users" WHERE "removed_at" IS NULL ORDER BY "id";
