CREATE TABLE "accounts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "accounts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"user_id" bigint
);
--> statement-breakpoint
CREATE TABLE "entries" (
	"journal_id" bigint NOT NULL,
	"account_id" bigint NOT NULL,
	"amount_nano_usd" bigint NOT NULL,
	CONSTRAINT "entries_journal_id_account_id_pk" PRIMARY KEY("journal_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "funds" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "funds_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"balance_nano_usd" bigint DEFAULT 0 NOT NULL,
	"floor_nano_usd" bigint DEFAULT 0 NOT NULL,
	"leased_nano_usd" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "funds_leased" CHECK ("funds"."leased_nano_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "journals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "journals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"business_key" text NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"reverses" bigint,
	"created_by" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lease_holders" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lease_holders_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"host" text NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"fenced_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"holder_id" bigint NOT NULL,
	"fund_id" bigint NOT NULL,
	"granted_nano_usd" bigint NOT NULL,
	"settled_nano_usd" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "leases_holder_id_fund_id_pk" PRIMARY KEY("holder_id","fund_id"),
	CONSTRAINT "leases_settled" CHECK ("leases"."settled_nano_usd" BETWEEN 0 AND "leases"."granted_nano_usd")
);
--> statement-breakpoint
CREATE TABLE "promotion_grants" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "promotion_grants_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"journal_id" bigint NOT NULL,
	"name" text NOT NULL,
	"granted_nano_usd" bigint NOT NULL,
	"remaining_nano_usd" bigint NOT NULL,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "promotion_grants_remaining" CHECK ("promotion_grants"."remaining_nano_usd" BETWEEN 0 AND "promotion_grants"."granted_nano_usd")
);
--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "fund_id" bigint;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "paid_account_id" bigint;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "promo_account_id" bigint;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "promo_nano_usd" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "promo_spent_nano_usd" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entries" ADD CONSTRAINT "entries_journal_id_journals_id_fk" FOREIGN KEY ("journal_id") REFERENCES "public"."journals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entries" ADD CONSTRAINT "entries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "journals" ADD CONSTRAINT "journals_reverses_journals_id_fk" FOREIGN KEY ("reverses") REFERENCES "public"."journals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "journals" ADD CONSTRAINT "journals_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_holder_id_lease_holders_id_fk" FOREIGN KEY ("holder_id") REFERENCES "public"."lease_holders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_fund_id_funds_id_fk" FOREIGN KEY ("fund_id") REFERENCES "public"."funds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_grants" ADD CONSTRAINT "promotion_grants_user_id_wallets_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."wallets"("user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_grants" ADD CONSTRAINT "promotion_grants_journal_id_journals_id_fk" FOREIGN KEY ("journal_id") REFERENCES "public"."journals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_of_user" ON "accounts" USING btree ("user_id","kind") WHERE "accounts"."user_id" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_of_house" ON "accounts" USING btree ("kind") WHERE "accounts"."user_id" IS NULL;--> statement-breakpoint
CREATE INDEX "entries_account" ON "entries" USING btree ("account_id","journal_id");--> statement-breakpoint
CREATE UNIQUE INDEX "journals_business_key" ON "journals" USING btree ("business_key");--> statement-breakpoint
CREATE INDEX "journals_reverses" ON "journals" USING btree ("reverses") WHERE "journals"."reverses" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "leases_fund" ON "leases" USING btree ("fund_id");--> statement-breakpoint
CREATE INDEX "promotion_grants_open" ON "promotion_grants" USING btree ("user_id","expires_at") WHERE "promotion_grants"."remaining_nano_usd" > 0;--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_paid_account_id_accounts_id_fk" FOREIGN KEY ("paid_account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_promo_account_id_accounts_id_fk" FOREIGN KEY ("promo_account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "wallets_fund" ON "wallets" USING btree ("fund_id");--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_promo" CHECK ("wallets"."promo_nano_usd" >= 0);--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_promo_spent" CHECK ("wallets"."promo_spent_nano_usd" >= 0);
--> statement-breakpoint
-- What held until now becomes books: a journal for each deposit, and one a wallet for all that was used before.
INSERT INTO "accounts" ("kind") VALUES ('payments'), ('promotions'), ('adjustments'), ('revenue');--> statement-breakpoint
INSERT INTO "accounts" ("kind", "user_id") SELECT kind, "user_id" FROM "wallets", (VALUES ('paid'), ('promo')) AS kinds (kind);--> statement-breakpoint
UPDATE "wallets" SET "fund_id" = nextval('funds_id_seq'),
	"paid_account_id" = (SELECT "id" FROM "accounts" WHERE "accounts"."user_id" = "wallets"."user_id" AND "kind" = 'paid'),
	"promo_account_id" = (SELECT "id" FROM "accounts" WHERE "accounts"."user_id" = "wallets"."user_id" AND "kind" = 'promo');--> statement-breakpoint
INSERT INTO "funds" ("id", "balance_nano_usd") OVERRIDING SYSTEM VALUE SELECT "fund_id", "balance_nano_usd" FROM "wallets";--> statement-breakpoint
ALTER TABLE "wallets" ADD CONSTRAINT "wallets_fund_id_funds_id_fk" FOREIGN KEY ("fund_id") REFERENCES "public"."funds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
INSERT INTO "journals" ("kind", "business_key", "created_at")
	SELECT 'deposit', "business_key", "created_at" FROM "wallet_deposits" ORDER BY "id";--> statement-breakpoint
INSERT INTO "entries" ("journal_id", "account_id", "amount_nano_usd")
	SELECT journal."id", wallet."paid_account_id", deposit."amount_nano_usd"
	FROM "wallet_deposits" AS deposit
	JOIN "journals" AS journal ON journal."business_key" = deposit."business_key"
	JOIN "wallets" AS wallet ON wallet."user_id" = deposit."user_id"
	UNION ALL
	SELECT journal."id", house."id", -deposit."amount_nano_usd"
	FROM "wallet_deposits" AS deposit
	JOIN "journals" AS journal ON journal."business_key" = deposit."business_key"
	JOIN "accounts" AS house ON house."kind" = 'payments' AND house."user_id" IS NULL;--> statement-breakpoint
CREATE TABLE "used_before" AS
	SELECT wallet."user_id", wallet."paid_account_id", coalesce(sum(deposit."amount_nano_usd"), 0)::bigint - wallet."balance_nano_usd" AS amount
	FROM "wallets" AS wallet LEFT JOIN "wallet_deposits" AS deposit ON deposit."user_id" = wallet."user_id"
	GROUP BY wallet."user_id";--> statement-breakpoint
INSERT INTO "journals" ("kind", "business_key", "note")
	SELECT 'usage', 'usage before the books, of ' || "user_id", 'All that was used before there were books.'
	FROM "used_before" WHERE amount <> 0;--> statement-breakpoint
INSERT INTO "entries" ("journal_id", "account_id", "amount_nano_usd")
	SELECT journal."id", used."paid_account_id", -used.amount
	FROM "used_before" AS used JOIN "journals" AS journal ON journal."business_key" = 'usage before the books, of ' || used."user_id"
	UNION ALL
	SELECT journal."id", house."id", used.amount
	FROM "used_before" AS used JOIN "journals" AS journal ON journal."business_key" = 'usage before the books, of ' || used."user_id"
	JOIN "accounts" AS house ON house."kind" = 'revenue' AND house."user_id" IS NULL;--> statement-breakpoint
DROP TABLE "used_before";--> statement-breakpoint
ALTER TABLE "wallets" ALTER COLUMN "fund_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "wallets" ALTER COLUMN "paid_account_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "wallets" ALTER COLUMN "promo_account_id" SET NOT NULL;--> statement-breakpoint
DROP TABLE "wallet_deposits" CASCADE;--> statement-breakpoint
ALTER TABLE "wallets" DROP COLUMN "balance_nano_usd";--> statement-breakpoint
-- The entries of a journal come in one statement, and sum to zero.
CREATE FUNCTION "entries_balance"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM added GROUP BY journal_id HAVING sum(amount_nano_usd) <> 0) THEN
		RAISE EXCEPTION 'the entries of a journal do not sum to zero' USING ERRCODE = '23514';
	END IF;
	IF (SELECT count(*) FROM added) <> (
		SELECT count(*) FROM "entries" WHERE journal_id IN (SELECT journal_id FROM added)
	) THEN
		RAISE EXCEPTION 'a journal has its entries already' USING ERRCODE = '23514';
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "entries_balance" AFTER INSERT ON "entries"
	REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "entries_balance"();--> statement-breakpoint
CREATE FUNCTION "append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is append-only: what was booked is mended by a new journal', TG_TABLE_NAME USING ERRCODE = '23514';
END $$;--> statement-breakpoint
CREATE TRIGGER "entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "entries" FOR EACH STATEMENT EXECUTE FUNCTION "append_only"();--> statement-breakpoint
CREATE TRIGGER "journals_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "journals" FOR EACH STATEMENT EXECUTE FUNCTION "append_only"();
