CREATE TABLE "account_days" (
	"account_id" bigint NOT NULL,
	"day" date NOT NULL,
	"amount_nano_usd" bigint NOT NULL,
	"usage_nano_usd" bigint NOT NULL,
	"usage_requests" bigint,
	"first_journal_id" bigint NOT NULL,
	"last_journal_id" bigint NOT NULL,
	"last_usage_journal_id" bigint,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "account_days_account_id_day_pk" PRIMARY KEY("account_id","day")
) WITH (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE "account_days" ADD CONSTRAINT "account_days_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE FUNCTION "entries_of_days"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "account_days" AS known ("account_id", "day", "amount_nano_usd", "usage_nano_usd", "usage_requests",
		"first_journal_id", "last_journal_id", "last_usage_journal_id", "last_at")
	SELECT entry.account_id, (journal.created_at AT TIME ZONE 'UTC')::date, sum(entry.amount_nano_usd)::bigint,
		coalesce(sum(entry.amount_nano_usd) FILTER (WHERE journal.kind = 'usage'), 0)::bigint,
		sum(entry.requests) FILTER (WHERE journal.kind = 'usage'),
		min(journal.id), max(journal.id), max(journal.id) FILTER (WHERE journal.kind = 'usage'), max(journal.created_at)
	FROM added AS entry
	JOIN "accounts" AS account ON account.id = entry.account_id AND account.user_id IS NOT NULL
	JOIN "journals" AS journal ON journal.id = entry.journal_id
	GROUP BY 1, 2 ORDER BY 1, 2
	ON CONFLICT ("account_id", "day") DO UPDATE SET
		"amount_nano_usd" = known."amount_nano_usd" + excluded."amount_nano_usd",
		"usage_nano_usd" = known."usage_nano_usd" + excluded."usage_nano_usd",
		"usage_requests" = CASE WHEN known."usage_requests" IS NULL THEN excluded."usage_requests"
			ELSE known."usage_requests" + coalesce(excluded."usage_requests", 0) END,
		"first_journal_id" = least(known."first_journal_id", excluded."first_journal_id"),
		"last_journal_id" = greatest(known."last_journal_id", excluded."last_journal_id"),
		"last_usage_journal_id" = greatest(known."last_usage_journal_id", excluded."last_usage_journal_id"),
		"last_at" = greatest(known."last_at", excluded."last_at");
	RETURN NULL;
END $$;--> statement-breakpoint
-- Before what was booked until now is read: from here on nobody books beside it, until both are there.
CREATE TRIGGER "entries_of_days" AFTER INSERT ON "entries"
	REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "entries_of_days"();--> statement-breakpoint
INSERT INTO "account_days"
	SELECT entry.account_id, (journal.created_at AT TIME ZONE 'UTC')::date, sum(entry.amount_nano_usd)::bigint,
		coalesce(sum(entry.amount_nano_usd) FILTER (WHERE journal.kind = 'usage'), 0)::bigint,
		sum(entry.requests) FILTER (WHERE journal.kind = 'usage'),
		min(journal.id), max(journal.id), max(journal.id) FILTER (WHERE journal.kind = 'usage'), max(journal.created_at)
	FROM "entries" AS entry
	JOIN "accounts" AS account ON account.id = entry.account_id AND account.user_id IS NOT NULL
	JOIN "journals" AS journal ON journal.id = entry.journal_id
	GROUP BY 1, 2;--> statement-breakpoint
CREATE INDEX "entries_no_usage" ON "entries" USING btree ("account_id","journal_id") WHERE "entries"."requests" IS NULL;--> statement-breakpoint
DROP INDEX "journals_reverses";--> statement-breakpoint
CREATE UNIQUE INDEX "journals_reverses" ON "journals" USING btree ("reverses") WHERE "journals"."reverses" IS NOT NULL;
