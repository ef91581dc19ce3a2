CREATE TABLE "budget_defaults" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "budget_defaults_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"organisation_id" bigint NOT NULL,
	"department_id" bigint,
	"receivers" text NOT NULL,
	"period" text NOT NULL,
	"limit_nano_usd" bigint NOT NULL,
	"managed_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budget_defaults_group" UNIQUE NULLS NOT DISTINCT("organisation_id","department_id","receivers","period"),
	CONSTRAINT "budget_defaults_limit" CHECK ("budget_defaults"."limit_nano_usd" >= 0)
);
--> statement-breakpoint
ALTER TABLE "budget_defaults" ADD CONSTRAINT "budget_defaults_organisation_id_organisations_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_defaults" ADD CONSTRAINT "budget_defaults_department" FOREIGN KEY ("department_id","organisation_id") REFERENCES "public"."departments"("id","organisation_id") ON DELETE cascade ON UPDATE no action;