/** Whether a page of another site sent a request, which must not act for its visitor. */

/** Reads a header of the request. */
type ReadHeader = (name: string) => string | undefined;

/**
 * Browsers name the site on https and on this machine alone; elsewhere the origin has to say it. It is `null` for our
 * own pages, which give away no referrer; a cookie that such a request from elsewhere would need is held back by the
 * browser, since it is SameSite.
 * @param address where people reach this service.
 */
export function isFromElsewhere(header: ReadHeader, address: string): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin';
  const origin = header('origin');
  if (origin === undefined || origin === 'null') return false;
  const host = URL.parse(origin)?.host;
  return host !== URL.parse(address)?.host && host !== header('host');
}
