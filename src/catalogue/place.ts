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

/**
 * Whether a credential that was bound to a place, as its row says it, is bound to this one. An earlier version wrote
 * origins as the provider spelled them, with a port that is the usual one or a name in other letters than ASCII's.
 */
export const isBoundTo = (boundTo: string, place: string): boolean =>
  boundTo === place || boundTo.split(' ').map(originOf).join(' ') === place;

const originOf = (url: string): string => URL.parse(url)?.origin ?? url;
