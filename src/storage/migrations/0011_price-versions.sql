CREATE TABLE "price_versions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "price_versions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"model_id" bigint NOT NULL,
	"provider_id" bigint,
	"effective_from" timestamp with time zone NOT NULL,
	"prices" jsonb,
	"note" text,
	"managed_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "price_version_id" bigint;--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "exempt" boolean;--> statement-breakpoint
ALTER TABLE "price_versions" ADD CONSTRAINT "price_versions_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "price_versions" ADD CONSTRAINT "price_versions_provider_id_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."providers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "price_versions_model" ON "price_versions" USING btree ("model_id","provider_id","effective_from");--> statement-breakpoint
INSERT INTO "price_versions" ("model_id", "effective_from", "prices", "note", "managed_by")
	SELECT "models"."id", to_timestamp(0), jsonb_object_agg("model_prices"."meter", "model_prices"."nano_usd_per_million"::text), 'the prices of before there were versions', "models"."managed_by"
	FROM "models" JOIN "model_prices" ON "model_prices"."model_id" = "models"."id"
	GROUP BY "models"."id" ORDER BY "models"."id";--> statement-breakpoint
CREATE FUNCTION "keep_price_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- What goes with its model is not refused: that is a trigger within a trigger.
	IF OLD."effective_from" <= now() AND pg_trigger_depth() = 1 THEN
		RAISE EXCEPTION 'price version % is or was in effect and stays as it is', OLD."id" USING ERRCODE = 'restrict_violation';
	END IF;
	IF TG_OP = 'DELETE' THEN
		RETURN OLD;
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "keep_price_version" BEFORE UPDATE OR DELETE ON "price_versions"
	FOR EACH ROW EXECUTE FUNCTION "keep_price_version"();
