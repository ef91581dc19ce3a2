/** What becomes of a phone number that somebody writes. */
import { expect, test } from 'bun:test';
import { newContactFields } from './contact.ts';

const stored = (phone: string) => newContactFields.parse({ email: 'ada@example.test', phone }).phone;

test.each([
  // Spaces are removed, the leading plus and digits kept.
  ['+44 20 7946 0018', '+442079460018'],
  ['030 1234', '0301234'],
  ['+123456789', '+123456789'],
  ['', ''],
  // As people write it: the zero in brackets is for those inside the country, and is never dialled behind a code.
  ['+44 (0)20 7946 0018', '+442079460018'],
  ['+49 (0) 30 / 901820-0', '+49309018200'],
  ['\uff0b1 (415) 555\u20112671', '+14155552671'],
  ['+٤٤٢٠٧٩٤٦٠٠١٨', '+442079460018'],
  // A zero that belongs to the number stays.
  ['+39 06 698 1', '+39066981'],
  ['+39 (0)6 698 1', '+39066981'],
  // And so does every other digit that was given, whether it is dialled from abroad or not.
  ['+49 030 901820', '+49030901820'],
  ['+49 (0)30 901820', '+4930901820'],
  ['+54 11 15 2345 6789', '+54111523456789'],
  ['+7 8 495 123-45-67', '+784951234567'],
  ['+44 [0]20 7946 0018', '+442079460018'],
  ['+٤٩ ٠٣٠ ٩٠١٨٢٠', '+49030901820'],
  // Too few digits for its country is still what was given.
  ['+1 555', '+1555'],
  ['+999 12345', '+99912345'],
])('%j is stored as %j', (given, kept) => {
  expect(stored(given)).toBe(kept);
  expect(stored(stored(given))).toBe(kept);
});

test.each(['call me', '+1'.repeat(29), '12', '+44 20 7946 0018 ext. 5', '+44;drop', '1-800-FLOWERS'])(
  '%j is refused',
  (phone) => {
    expect(newContactFields.safeParse({ email: 'ada@example.test', phone }).success).toBe(false);
  },
);
