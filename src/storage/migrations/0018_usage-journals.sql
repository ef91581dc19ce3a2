ALTER TABLE "entries" ADD COLUMN "requests" integer;--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "journal_id" bigint;--> statement-breakpoint
CREATE INDEX "usage_records_journal" ON "usage_records" USING brin ("journal_id");