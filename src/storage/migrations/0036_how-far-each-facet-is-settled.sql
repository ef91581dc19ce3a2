CREATE TABLE "usage_settled_facets" (
	"facet" smallint PRIMARY KEY NOT NULL,
	"days_until" timestamp with time zone NOT NULL,
	"weeks_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- Nobody settles a day between what is read here and the end.
LOCK TABLE "usage_settled" IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
-- Where days were settled of all facets together, these are the ones that there were; weeks were settled as wholes.
INSERT INTO "usage_settled_facets" ("facet", "days_until", "weeks_until")
SELECT facet, until, date_trunc('week', until, 'UTC') FROM "usage_settled", generate_series(0, 11) AS facet
WHERE until > '1970-01-05T00:00:00Z';
--> statement-breakpoint
DROP TABLE "usage_settled";
