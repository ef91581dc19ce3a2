import { describe, expect, test } from 'bun:test';
import { atFullCost } from '../../test/support/quick-passwords.ts';
import { findPasswordIssue, hashPassword, verifyPassword } from './passwords.ts';

describe('a new password', () => {
  test.each([
    ['seven77', 'at least 8'],
    ['', 'at least 8'],
    ['é'.repeat(7), 'at least 8'],
    ['x'.repeat(129), 'at most 128'],
    ['Password1', 'guessed first'],
    ['qwertyuiop', 'guessed first'],
  ])('%p is refused: %s', (password, reason) => {
    expect(findPasswordIssue(password)).toContain(reason);
  });

  test.each(['orbit-lantern', 'x'.repeat(128), '🦊'.repeat(128), 'with spaces in it'])(
    '%p is accepted',
    (password) => {
      expect(findPasswordIssue(password)).toBeUndefined();
    },
  );
});

describe('a stored password', () => {
  test('is argon2id with 19 MiB and two passes, and salted', () =>
    atFullCost(async () => {
      const [first, second] = await Promise.all([
        hashPassword('orbit-lantern'),
        hashPassword('orbit-lantern'),
      ]);
      expect(first).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
      expect(second).not.toBe(first);
      expect(await verifyPassword('orbit-lantern', first)).toBe(true);
      expect(await verifyPassword('orbit-lanterns', first)).toBe(false);
    }));

  test('verifies against itself only', async () => {
    const hash = await hashPassword('orbit-lantern');
    expect(await verifyPassword('orbit-lantern', hash)).toBe(true);
    expect(await verifyPassword('orbit-lanterns', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
    expect(await verifyPassword('x'.repeat(1_000_000), hash)).toBe(false);
  });

  test('verifies however the letters were composed', async () => {
    const hash = await hashPassword('caf\u00e9-lantern');
    expect(await verifyPassword('cafe\u0301-lantern', hash)).toBe(true);
  });

  test('that is missing verifies nothing', async () => {
    expect(await verifyPassword('orbit-lantern', null)).toBe(false);
  });
});
