-- A credential whose tokens are renewed is bound to that place too (catalogue/place.ts): today's, to where theirs are.
UPDATE "provider_credentials" AS "credential"
SET "bound_to" = "credential"."bound_to" || ' ' || lower(substring("provider"."settings" ->> 'token_url' from '^https?://[^/?#]+'))
FROM "providers" AS "provider"
WHERE "provider"."id" = "credential"."provider_id"
  AND "credential"."bound_to" <> ''
  AND substring("provider"."settings" ->> 'token_url' from '^https?://[^/?#]+') IS NOT NULL;
