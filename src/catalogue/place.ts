/** Where the credentials of a provider are sent: each is bound to the place that it was given for. */

/** Its origin, which has no path; the kind of a provider without an address of its own, whose adapter has one. */
export function placeOf({
  kind,
  baseUrl,
}: {
  readonly kind: string;
  readonly baseUrl: string | null;
}): string {
  return baseUrl === null ? kind : (URL.parse(baseUrl)?.origin ?? baseUrl);
}
