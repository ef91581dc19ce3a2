-- A credential whose tokens are renewed is bound to that place too (catalogue/place.ts): today's, to where theirs are.
-- The origin as a parser of addresses writes it: in lower case, without user, password and the usual port.
UPDATE "provider_credentials" AS "credential"
SET "bound_to" = "credential"."bound_to" || ' ' || regexp_replace(regexp_replace(
  lower(substring("provider"."settings" ->> 'token_url' from '(?i)^https?://[^/?#]+')),
  '^(https?://).*@', '\1'), '^(https://.*):0*443$|^(http://.*):0*80$', '\1\2')
FROM "providers" AS "provider"
WHERE "provider"."id" = "credential"."provider_id"
  AND "credential"."bound_to" <> ''
  AND substring("provider"."settings" ->> 'token_url' from '(?i)^https?://[^/?#]+') IS NOT NULL;
