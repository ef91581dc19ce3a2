/** Passwords: what may be one, and how it is kept. */
import { commonPasswords } from './common-passwords.ts';

const minLength = 8;
const maxLength = 128;
/** RFC 9106 and the OWASP password storage sheet: argon2id, 19 MiB, two passes. */
const argon2id = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** Says what is wrong with a new password, if anything. No composition rules: they make passwords worse. */
export function findPasswordIssue(password: string): string | undefined {
  const text = canonical(password);
  const length = [...text].length;
  if (length < minLength) return `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  if (commonPasswords.has(text.toLowerCase()))
    return 'is one of those that are guessed first; choose another';
  return undefined;
}

/** In PHC form, with its salt and costs inside. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(canonical(password), argon2id);
}

/** False for a person without a password. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  // An over-long or empty one can never have been set, so it is not worth the memory of a comparison.
  if (hash === null || password.length === 0 || password.length > maxLength * 4) return false;
  return await Bun.password.verify(canonical(password), hash);
}

/** The same letters typed on another system can arrive composed differently. */
function canonical(password: string): string {
  return password.normalize('NFKC');
}
