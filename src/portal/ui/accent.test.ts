import { describe, expect, test } from 'bun:test';
import { contrast, isAccent, readColour, writeAccentStyles } from './accent.ts';

/** The shades of a use, for the light theme and for the dark. */
function shadesOf(accent: string, use: string) {
  const found = new RegExp(`--${use}:light-dark\\((#[0-9a-f]{6}),(#[0-9a-f]{6})\\)`).exec(
    writeAccentStyles(accent),
  );
  const [, light = '', dark = ''] = found ?? [];
  return { light: readColour(light), dark: readColour(dark) };
}

const white = readColour('#ffffff');
const dark = readColour('#0c1213');

describe('the accent of a brand', () => {
  test.each(['#7a3db8', '#ffe600', '#ffffff', '#000000', '#00ff88', '#808080', '#ff0000', '#0000ff'])(
    '%s can be read on every ground, in both themes',
    (accent) => {
      const text = shadesOf(accent, 'accent');
      const tint = shadesOf(accent, 'accent-tint');
      const solid = shadesOf(accent, 'accent-solid');
      const hover = shadesOf(accent, 'accent-solid-hover');
      const pairs = [
        ...([
          [text.light, white],
          [text.light, tint.light],
        ] as const),
        ...([
          [text.dark, dark],
          [text.dark, tint.dark],
        ] as const),
        ...([
          [white, solid.light],
          [white, solid.dark],
          [white, hover.light],
        ] as const),
      ];
      for (const [one, other] of pairs) expect(contrast(one, other)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('that can be read as it is stays as it is', () => {
    expect(shadesOf('#7a3db8', 'accent-solid').light).toEqual(readColour('#7a3db8'));
  });

  test('is six digits of a colour and nothing else', () => {
    expect(['#7a3db8', '#7A3DB8'].every(isAccent)).toBe(true);
    for (const odd of ['', 'red', '#7a3', '#7a3db8}body{', '#7a3db8\n']) expect(isAccent(odd)).toBe(false);
  });
});
