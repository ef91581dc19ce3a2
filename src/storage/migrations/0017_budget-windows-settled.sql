ALTER TABLE "budget_windows" ADD COLUMN "settled_nano_usd" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "budget_windows" AS known SET "settled_nano_usd" = known."limit_nano_usd" - fund."balance_nano_usd" FROM "funds" AS fund WHERE fund."id" = known."fund_id";
