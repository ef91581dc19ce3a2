/** A brand's accent in all its uses: from one colour, shades that can be read on every ground in both themes. */

/** Red, green and blue from 0 to 255. */
type Colour = readonly [number, number, number];

const white: Colour = [255, 255, 255];
const darkCanvas: Colour = [12, 18, 19];

/** A little more than WCAG asks for, since shades are rounded to whole steps. */
const leastContrast = 4.55;

export const isAccent = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/**
 * The custom properties of tokens.css that a brand replaces, as a style sheet.
 * @param accent `#rrggbb`
 */
export function writeAccentStyles(accent: string): string {
  const given = readColour(accent);
  const tint = { light: mix(given, white, 0.1), dark: mix(given, darkCanvas, 0.18) };
  const text = {
    light: darken(given, (shade) => reads(shade, white) && reads(shade, tint.light)),
    dark: lighten(given, (shade) => reads(shade, darkCanvas) && reads(shade, tint.dark)),
  };
  // White stands on it in both themes.
  const solid = darken(given, (shade) => reads(white, shade));
  const shades: Readonly<Record<string, readonly [Colour, Colour]>> = {
    accent: [text.light, text.dark],
    'accent-solid': [solid, solid],
    'accent-solid-hover': [mix(solid, [0, 0, 0], 0.84), mix(solid, [0, 0, 0], 0.84)],
    'accent-tint': [tint.light, tint.dark],
    'accent-line': [mix(text.light, white, 0.4), mix(text.dark, darkCanvas, 0.4)],
  };
  const lines = Object.entries(shades).map(
    ([name, [light, dark]]) => `--${name}:light-dark(${writeColour(light)},${writeColour(dark)})`,
  );
  return `:root{${lines.join(';')}}`;
}

const reads = (one: Colour, other: Colour): boolean => contrast(one, other) >= leastContrast;

const darken = (colour: Colour, isEnough: (shade: Colour) => boolean): Colour =>
  approach(colour, [0, 0, 0], isEnough);
const lighten = (colour: Colour, isEnough: (shade: Colour) => boolean): Colour =>
  approach(colour, white, isEnough);

/** In steps of a hundredth, so that as much of the colour stays as can. */
function approach(from: Colour, to: Colour, isEnough: (shade: Colour) => boolean): Colour {
  for (let step = 0; step < 100; step += 1) {
    const shade = mix(from, to, 1 - step / 100);
    if (isEnough(shade)) return shade;
  }
  return to;
}

/** @param share Of the first, from 0 to 1. */
function mix(one: Colour, other: Colour, share: number): Colour {
  const part = (at: 0 | 1 | 2) => Math.round(one[at] * share + other[at] * (1 - share));
  return [part(0), part(1), part(2)];
}

/** Of WCAG 2: from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance([red, green, blue]: Colour): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export function readColour(hex: string): Colour {
  const channel = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

const writeColour = (colour: Colour): string =>
  `#${colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
