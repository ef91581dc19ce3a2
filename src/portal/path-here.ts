/** Where an address that came with a request may lead: to a path of this host, and nowhere else. */

const longest = 2000;

/**
 * The path with its query, or `otherwise`. Browsers read `//other.host` and `/\other.host` as another host, and leave
 * out tabs and line breaks wherever they stand, so nothing but printable ASCII without a backslash passes.
 */
export function pathHere(path: string | null | undefined, otherwise = '/'): string {
  if (path === null || path === undefined || path.length > longest) return otherwise;
  return /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : otherwise;
}
