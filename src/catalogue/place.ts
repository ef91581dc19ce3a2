/** Where the credentials of a provider are sent: each is bound to the place that it was given for. */

interface Placed {
  readonly kind: string;
  readonly baseUrl: string | null;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/**
 * Its origin, which has no path; the kind of a provider without an address of its own, whose adapter has one. Behind it
 * the origin that its tokens are renewed at, where its settings have one: refresh tokens are sent there.
 */
export function placeOf({ kind, baseUrl, settings }: Placed): string {
  const place = baseUrl === null ? kind : originOf(baseUrl);
  const tokenUrl = settings?.['token_url'];
  return typeof tokenUrl === 'string' ? `${place} ${originOf(tokenUrl)}` : place;
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? url;
