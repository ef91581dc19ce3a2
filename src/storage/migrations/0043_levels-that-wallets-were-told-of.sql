ALTER TABLE "wallets" ADD COLUMN "low_told_nano_usd" bigint;--> statement-breakpoint
ALTER TABLE "wallets" ADD COLUMN "very_low_told_nano_usd" bigint;