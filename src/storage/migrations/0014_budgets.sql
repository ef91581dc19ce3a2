CREATE TABLE "budget_windows" (
	"budget_id" bigint NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"fund_id" bigint NOT NULL,
	"limit_nano_usd" bigint NOT NULL,
	CONSTRAINT "budget_windows_budget_id_starts_at_pk" PRIMARY KEY("budget_id","starts_at")
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "budgets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subject_kind" text NOT NULL,
	"subject_id" bigint NOT NULL,
	"period" text NOT NULL,
	"limit_nano_usd" bigint NOT NULL,
	"managed_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budgets_limit" CHECK ("budgets"."limit_nano_usd" >= 0)
);
--> statement-breakpoint
ALTER TABLE "budget_windows" ADD CONSTRAINT "budget_windows_budget_id_budgets_id_fk" FOREIGN KEY ("budget_id") REFERENCES "public"."budgets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_windows" ADD CONSTRAINT "budget_windows_fund_id_funds_id_fk" FOREIGN KEY ("fund_id") REFERENCES "public"."funds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "budget_windows_fund" ON "budget_windows" USING btree ("fund_id");--> statement-breakpoint
CREATE UNIQUE INDEX "budgets_subject" ON "budgets" USING btree ("subject_kind","subject_id","period");