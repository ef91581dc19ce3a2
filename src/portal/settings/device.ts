/** A browser as its person would name it, from what it says of itself. */

/** The first that fits: many say that they are others too. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
];

const systems: readonly (readonly [string, RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** Such as `Firefox · Linux`; undefined where nothing is known. */
export function deviceOf(userAgent: string | null): string | undefined {
  if (userAgent === null) return undefined;
  const nameIn = (known: typeof browsers) => known.find(([, sign]) => sign.test(userAgent))?.[0];
  const named = [nameIn(browsers), nameIn(systems)].filter((name) => name !== undefined);
  if (named.length > 0) return named.join(' · ');
  return /^[\w.-]{1,40}(?=\/)/.exec(userAgent)?.[0];
}
