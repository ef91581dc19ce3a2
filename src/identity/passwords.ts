/** Passwords: what may be one, and how it is kept. */

const minLength = 8;
const maxLength = 128;
/** RFC 9106 and the OWASP password storage sheet: argon2id, 19 MiB, two passes. */
const argon2id = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

const problems = {
  too_short: `must have at least ${minLength} characters`,
  too_long: `must have at most ${maxLength} characters`,
  too_common: 'is one of those that are guessed first; choose another',
} as const;
export type PasswordProblem = keyof typeof problems;

/** Says what is wrong with a new password, if anything. No composition rules: they make passwords worse. */
export function findPasswordProblem(password: string): PasswordProblem | undefined {
  const text = canonical(password);
  const length = [...text].length;
  if (length < minLength) return 'too_short';
  if (length > maxLength) return 'too_long';
  return commonPasswords.has(text.toLowerCase()) ? 'too_common' : undefined;
}

export function findPasswordIssue(password: string): string | undefined {
  const problem = findPasswordProblem(password);
  return problem && problems[problem];
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

const commonPasswords: ReadonlySet<string> = new Set(
  `
  00000000 0000000000 0123456789 0987654321 10203040 11111111 111111111 1111111111 11112222 11223344 12121212
  12123434 123123123 12341234 12344321 123456123 123456654321 1234567890 12345678 123456789 123456789a 12345678a
  123456abc 1234abcd 123454321 1234qwer 123qweasd 123qwe123 147258369 159357456 159753456 1q2w3e4r 1q2w3e4r5t
  1qaz2wsx 1qazxsw2 20202020 22222222 31415926 33333333 44444444 55555555 66666666 77777777 789456123 87654321
  88888888 987654321 9876543210 99999999 aa123456 aaaaaaaa abc12345 abc123456 abcd1234 abcdefgh abcdefghi
  access14 admin123 admin1234 administrator adminadmin alexander asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl
  baseball basketball benjamin blink182 butterfly changeme changeme1 changeme123 charlie1 chocolate christian
  computer corvette danielle default1 dragon123 elizabeth elephant facebook football football1 freedom1 garfield
  guest123 hello123 helloworld hellohello iloveyou iloveyou1 iloveyou2 internet jennifer jessica1 jonathan
  letmein1 letmein123 liverpool login123 lovelove marlboro master123 michael1 michelle midnight monkey123
  motdepasse mustang1 nicholas nothing1 p@ssw0rd p@ssword pa55word passw0rd passwort passwort1 password
  password! password0 password00 password01 password1 password1! password11 password12 password123 password1234
  password2 password99 passwordpassword pokemon1 princess princess1 qazwsxedc qwe123456 qweasdzxc qwer1234
  qwert123 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyui qwertyuiop qwertyuiop123 root1234
  samantha secret123 september sluicesluice sunshine sunshine1 superman superman1 starwars success1 test1234
  test12345 testtest thomas123 tinkerbell trustno1 user1234 useruser victoria welcome1 welcome12 welcome123
  whatever william1 winter2024 winter2025 zaq12wsx zaq1zaq1 zxcvbnm1 zxcvbnm123 zxcvbnm,
  `
    .trim()
    .split(/\s+/),
);
