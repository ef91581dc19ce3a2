import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { systemIds } from '../base/ids.ts';
import { deriveStarterToken, hashToken, isWellFormedToken, mintToken, visibleTokenParts } from './token.ts';

const prefix = 'sluice_';
const body = /^sluice_[0-9A-Za-z]{46}$/;

describe('a minted token', () => {
  test('has the prefix and 46 base62 characters, and is well formed', () => {
    const token = mintToken(systemIds, prefix);
    expect(token).toMatch(body);
    expect(isWellFormedToken(token, prefix)).toBe(true);
  });

  test('is different each time', () => {
    const tokens = new Set(Array.from({ length: 500 }, () => mintToken(systemIds, prefix)));
    expect(tokens.size).toBe(500);
  });

  test('ends in the CRC-32 of what precedes', () => {
    const zeros = { requestId: () => '', randomBytes: (count: number) => new Uint8Array(count) };
    const token = mintToken(zeros, prefix);
    expect(token.slice(0, -6)).toBe(`sluice_${'0'.repeat(40)}`);
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const checksum = [...token.slice(-6)].reduce((sum, letter) => sum * 62 + digits.indexOf(letter), 0);
    expect(checksum).toBe(crc32BitByBit(token.slice(0, -6)));
  });

  test('favours no letter', () => {
    let next = -1;
    const everyByteInTurn = {
      requestId: () => '',
      randomBytes: () => {
        next = (next + 1) % 256;
        return Uint8Array.of(next);
      },
    };
    // 31 × 40 letters take the 248 usable byte values exactly five times, four values to a letter.
    const letters = Array.from({ length: 31 }, () => mintToken(everyByteInTurn, '').slice(0, 40)).join('');
    const counts = new Map<string, number>();
    for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([20]));
  });
});

describe('a well-formed token', () => {
  test('stops being one when any character changes', () => {
    const token = mintToken(systemIds, prefix);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (index, letter) => {
        fc.pre(letter !== token[index]);
        expect(isWellFormedToken(token.slice(0, index) + letter + token.slice(index + 1), prefix)).toBe(
          false,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('stops being one when two neighbours change places', () => {
    const token = mintToken(systemIds, prefix);
    for (let index = prefix.length; index < token.length - 1; index += 1) {
      const [first = '', second = ''] = token.slice(index, index + 2);
      if (first === second) continue;
      const swapped = token.slice(0, index) + second + first + token.slice(index + 2);
      expect(isWellFormedToken(swapped, prefix)).toBe(false);
    }
  });

  test.each(['', 'sluice_', 'sk-abc', `sluice_${'a'.repeat(46)}`, `sluice_${'é'.repeat(46)}`])(
    'is not %p',
    (token) => expect(isWellFormedToken(token, prefix)).toBe(false),
  );

  test('is not 100,000 letters', () => {
    expect(isWellFormedToken(prefix + 'a'.repeat(100_000), prefix)).toBe(false);
  });

  test('belongs to one prefix only', () => {
    expect(isWellFormedToken(mintToken(systemIds, 'other_'), prefix)).toBe(false);
    expect(isWellFormedToken(mintToken(systemIds, 'other_'), 'other_')).toBe(true);
  });
});

describe('the starter token', () => {
  test('is well formed and the same for the same secret', () => {
    const token = deriveStarterToken('a secret of the service', prefix);
    expect(token).toMatch(body);
    expect(isWellFormedToken(token, prefix)).toBe(true);
    expect(deriveStarterToken('a secret of the service', prefix)).toBe(token);
  });

  test('differs for another secret', () => {
    expect(deriveStarterToken('one', prefix)).not.toBe(deriveStarterToken('two', prefix));
  });
});

test('the hash is SHA-256 in hex', () => {
  const token = mintToken(systemIds, prefix);
  expect(hashToken(token)).toBe(createHash('sha256').update(token).digest('hex'));
});

test('the visible parts are the prefix with four characters, and the last four', () => {
  expect(visibleTokenParts('sluice_abcdefghij', prefix)).toEqual({ prefix: 'sluice_abcd', lastFour: 'ghij' });
});

/** The definition of CRC-32 (reflected, polynomial 0xEDB88320), to check the runtime's against. */
function crc32BitByBit(text: string): number {
  let remainder = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit += 1) {
      remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
    }
  }
  return (remainder ^ 0xffffffff) >>> 0;
}
