-- Nobody settles a day between what is read of this and the end. It comes first: who settles or folds has read it before all else.
LOCK TABLE "usage_settled_facets" IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
-- Rows that are there are not looked at. Those of editions before are right, and take the new one when they are added to.
ALTER TABLE "usage_daily" ADD CONSTRAINT "usage_daily_edition" CHECK ("usage_daily"."edition" >= 3) NOT VALID;
--> statement-breakpoint
-- Where sums of these weeks are made already, who knew nothing of them may have folded what came late: they are made anew.
DELETE FROM "usage_settled_facets" WHERE "facet" IN (12, 13);
