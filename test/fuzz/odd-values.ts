/** Values that bodies seldom have and programs seldom expect. */
import type { Random } from './random.ts';

const oddValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 1.5, '', ' ', 'x', '0', 'null', 'true', '[]', '{}'],
  ...[
    [],
    {},
    [null],
    [[]],
    [{}],
    ['x'],
    { a: 1 },
    { type: '' },
    { type: 'x' },
    { type: 'text' },
    { text: '' },
  ],
];

/** A copy, since a later change may go into it. */
export const oddValue = (random: Random): unknown => structuredClone(random.pick(oddValues));

export const oddNumbers = [
  ...['1e999', '-1e999', '-0', '1e-400', '9007199254740993', '123456789012345678901234567890'],
  ...[
    '-9223372036854775809',
    '1e21',
    '2147483648',
    '4294967296',
    '0.1e1',
    '1E+2',
    '99999999999999999999e-18',
  ],
  ...['01', '+1', 'NaN', 'Infinity', '0x10', '.5', '5.', '1_000'],
];

export const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  'length',
  '',
  ' ',
  '0',
  'then',
  'toJSON',
  'hasOwnProperty',
];

/** As escapes and characters inside a string, quotes included. */
export const oddStrings = [
  ...[
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"a\\u0000b"',
    '"\\u202e\\u2066x"',
    '"\\uFEFF"',
    '"\\uFFFE"',
    '"\u{1F469}\u200D"',
  ],
  ...[
    '"\\x41"',
    '"\\"',
    '"tab\there"',
    '"line\nhere"',
    '"\u2028\u2029"',
    '"data: x\\n\\ndata: [DONE]\\n\\n"',
  ],
  ...[
    '"data:image/png;base64,"',
    '"data:;base64,!!!!"',
    '"data:image/png;base64,AAAA"',
    '"data:"',
    '"http://"',
  ],
  ...['"https://user:pw@host:99999/x"', '"file:///etc/passwd"', '"//x"', '"javascript:1"', '"sig:v1:xxxx"'],
];

export const fillers = [
  'a',
  ' ',
  '\n',
  '"',
  '\\',
  '\u0000',
  '🦥',
  '\u0301',
  '<',
  '.',
  '-',
  '0',
  '=',
  '{',
  '[',
  'data:',
];

/** What is no UTF-8, or is what a text must not have in this place. */
export const oddBytes: readonly (readonly number[])[] = [
  ...[[0x00], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80]],
  ...[[0xef, 0xbb, 0xbf], [0x0d, 0x0a], [0x22], [0x5c], [0x7d], [0x5d], [0x2c]],
];
