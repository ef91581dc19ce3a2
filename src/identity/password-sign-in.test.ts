import { afterAll, beforeAll, beforeEach, expect, type Mock, spyOn, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { type Write, writerOn } from '../../test/support/writing.ts';
import { AppError } from '../base/errors.ts';
import { systemIds } from '../base/ids.ts';
import { clockShowing } from '../base/testing/manual-clock.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import { users } from '../storage/schema/identity.ts';
import { throttles, totpSecrets } from '../storage/schema/sign-in.ts';
import type { Storage } from '../storage/storage.ts';
import { findTokenHolder } from './one-time-tokens.ts';
import { findPasswordHolder, type KnownHere, signInByPassword } from './password-sign-in.ts';
import { hashPassword } from './passwords.ts';
import { findSession, markOf, startSession } from './sessions.ts';
import { signedInBy } from './testing/signed-in-by.ts';
import { allowances } from './throttle.ts';
import type { User } from './user.ts';
import { createUser } from './users.ts';

const password = 'four plain words here';
const { burst } = allowances['sign-in of account'];

describeOnEachDatabase('signing in with a password', (openDatabase) => {
  let storage: Storage;
  let write: Write;
  let parts: AgreeingParts;
  let user: User;
  let nowMs = Date.UTC(2031, 0, 1);
  const clock = clockShowing(() => nowMs);
  let verify: Mock<typeof Bun.password.verify>;
  beforeAll(async () => {
    verify = spyOn(Bun.password, 'verify');
    storage = await openDatabase();
    parts = { storage, clock, ids: systemIds, databaseMs: async () => nowMs };
    write = writerOn(parts);
    user = await write(createUser, { email: 'a@example.test', role: 'member', password });
  });
  beforeEach(() => {
    nowMs += 24 * 3_600_000;
    verify.mockClear();
  });
  afterAll(async () => {
    verify.mockRestore();
    await storage.close();
  });

  const signIn = (email: string, given: string, address = '192.0.2.1', replacedToken?: string) =>
    signInByPassword(parts, {
      email,
      password: given,
      from: address,
      start: signedInBy('password', { address, replacedToken }),
    });

  async function outcomeOf(attempt: ReturnType<typeof signIn>): Promise<string> {
    try {
      return (await attempt)?.outcome ?? 'refused';
    } catch (thrown) {
      if (thrown instanceof AppError) return thrown.code;
      throw thrown;
    }
  }

  test('starts a session, which takes the place of the one that the browser had', async () => {
    const before = await write(startSession, user.id, signedInBy('password'));
    const admission = await signIn(' A@Example.Test', password, undefined, before.token);
    if (admission?.outcome !== 'session') throw new Error('no session');
    expect((await findSession(parts, admission.session.token))?.user.id).toBe(user.id);
    expect(await findSession(parts, before.token)).toBeUndefined();
  });

  /** Of a hash in PHC form: algorithm, version, memory, passes. */
  const costsOf = (hash: string) => hash.split('$').slice(1, 4);

  test('refuses alike, with one comparison, a wrong password, no account, and an account without one', async () => {
    await write(createUser, { email: 'none@example.test', role: 'member' });
    for (const email of [
      'a@example.test',
      'nobody@example.test',
      'none@example.test',
      'nobody\0',
      'x'.repeat(5000),
    ]) {
      verify.mockClear();
      expect(await signIn(email, 'four wrong words here')).toBeUndefined();
      expect(verify).toHaveBeenCalledTimes(1);
      const [, hash] = verify.mock.calls[0] ?? [];
      expect(costsOf(String(hash))).toEqual(costsOf(await hashPassword(password)));
    }
  });

  test('asks for the second factor of who has confirmed one, and starts no session', async () => {
    const other = await write(createUser, { email: 'two@example.test', role: 'member', password });
    await storage.db.insert(totpSecrets).values({ userId: other.id, sealedSecret: 'x' });
    expect(await outcomeOf(signIn(other.email, password))).toBe('session');
    await storage.db
      .update(totpSecrets)
      .set({ confirmedAt: new Date(nowMs) })
      .where(eq(totpSecrets.userId, other.id));
    const admission = await signIn(other.email, password);
    if (admission?.outcome !== 'second_factor') throw new Error('no second factor');
    const sought = { secret: admission.token.secret, nowMs };
    expect(await findTokenHolder(storage.db, 'second_factor', sought)).toMatchObject({
      user: { id: other.id },
      detail: { method: 'password' },
    });
  });

  test('is refused where the password was changed while it was compared', async () => {
    const other = await write(createUser, { email: 'changes@example.test', role: 'member', password });
    verify.mockImplementationOnce(async () => {
      await storage.db.update(users).set({ passwordHash: 'another' }).where(eq(users.id, other.id));
      return true;
    });
    expect(await outcomeOf(signIn(other.email, password))).toBe('refused');
  });

  /** For tests that count comparisons and need not pay for them. */
  const compareCheaply = () => verify.mockImplementation(async (given) => given === password);

  test('a right password gives the allowance back', async () => {
    compareCheaply();
    for (let round = 0; round < 2; round += 1) {
      for (let wrong = 1; wrong < burst; wrong += 1) await signIn(user.email, 'wrong');
      expect(await outcomeOf(signIn(user.email, password))).toBe('session');
    }
  });

  test('an account is guessed at ten times at once, from however many addresses, and the right one waits too', async () => {
    compareCheaply();
    const outcomes = await Promise.all(
      Array.from({ length: 3 * burst }, (_, index) =>
        outcomeOf(signIn(user.email, 'wrong', `198.51.100.${index}`)),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(burst);
    expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(2 * burst);
    expect(await outcomeOf(signIn(user.email, password, '203.0.113.9'))).toBe('rate_limited');
    nowMs += 60_000;
    expect(await outcomeOf(signIn(user.email, password, '203.0.113.9'))).toBe('session');
  });

  test('strangers who use the attempts of an account up keep it out of no browser that it signed in at', async () => {
    compareCheaply();
    const { passwordHash } = (await storage.db.select().from(users).where(eq(users.id, user.id)))[0] ?? {};
    const known = { id: user.id, passwordMark: markOf(passwordHash ?? null) };
    for (let wrong = 0; wrong < burst; wrong += 1) await signIn(user.email, 'wrong', `198.51.100.${wrong}`);
    const at = (knownHere: readonly KnownHere[], given = password) =>
      outcomeOf(
        signInByPassword(parts, {
          ...{ email: user.email, password: given, from: '203.0.113.9', knownHere },
          start: signedInBy('password', { address: '203.0.113.9' }),
        }),
      );
    expect(await at([])).toBe('rate_limited');
    expect(await at([{ ...known, id: user.id + 1 }])).toBe('rate_limited');
    // Of a password before: whoever has that browser may be why it was changed.
    expect(await at([{ ...known, passwordMark: markOf('another') }])).toBe('rate_limited');
    expect(await at([known])).toBe('session');
    for (let wrong = 0; wrong < burst; wrong += 1) expect(await at([known], 'wrong')).toBe('refused');
    expect(await at([known])).toBe('rate_limited');
  });

  test('a program with an old password keeps nobody else out who signs in from its address', async () => {
    compareCheaply();
    const { burst: ofAddress } = allowances['sign-in from address'];
    const other = await write(createUser, { email: 'beside@example.test', role: 'member', password });
    const from = '203.0.113.20';
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(signIn(user.email, 'old', from))),
    );
    expect(tries.filter((outcome) => outcome === 'refused')).toHaveLength(burst);
    for (let again = 0; again < 3 * ofAddress; again += 1) {
      expect(await outcomeOf(signIn(user.email, 'old', from))).toBe('rate_limited');
    }
    expect(verify).toHaveBeenCalledTimes(burst);
    expect(await outcomeOf(signIn(other.email, password, from))).toBe('session');
    // What was compared is what counts of the address.
    const guesses = Array.from({ length: ofAddress }, (_, index) =>
      outcomeOf(signIn(`none-${index}@example.test`, 'wrong', from)),
    );
    const outcomes = await Promise.all(guesses);
    expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(ofAddress - burst);
    expect(await outcomeOf(signIn(other.email, password, from))).toBe('rate_limited');
  });

  test('an account that another process has found used up takes nothing from the address either', async () => {
    compareCheaply();
    const from = '203.0.113.21';
    const account = 'elsewhere@example.test';
    for (let wrong = 0; wrong < burst; wrong += 1) await signIn(account, 'wrong', `198.51.100.${wrong}`);
    const before = await storage.db.select().from(throttles);
    // Known to nobody's memory: what is kept in the database alone refuses.
    expect(await outcomeOf(signIn(account, 'wrong', from))).toBe('rate_limited');
    const wholeAt = (await storage.db.select().from(throttles))
      .filter(({ key }) => before.every((row) => row.key !== key))
      .map((row) => row.wholeAt.getTime());
    expect(wholeAt).toEqual([nowMs]);
  });

  test('people who know their passwords may be many at one address, and none keeps it busy without end', async () => {
    compareCheaply();
    const from = '203.0.113.22';
    const { burst: ofAddress } = allowances['sign-in from address'];
    const { burst: ofAccount } = allowances['right passwords of account'];
    const other = await write(createUser, { email: 'beside-too@example.test', role: 'member', password });
    for (const { email } of [user, other]) {
      for (let round = 0; round < ofAccount; round += 1) {
        expect(await findPasswordHolder(parts, { email, password, from })).toBeDefined();
      }
    }
    const more = () => findPasswordHolder(parts, { email: user.email, password, from });
    for (let round = 0; round < ofAddress; round += 1) expect(await more()).toBeDefined();
    expect(await more().catch((thrown) => thrown)).toMatchObject({ code: 'rate_limited' });
  });

  test('10,000 wrong passwords from one address cost sixty comparisons, whatever accounts they are for', async () => {
    compareCheaply();
    let limited = 0;
    const guess = async (from: number) => {
      for (let index = from; index < 10_000; index += 20) {
        if ((await outcomeOf(signIn(`guess-${index % 500}@example.test`, 'wrong'))) === 'rate_limited')
          limited += 1;
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, from) => guess(from)));
    expect(verify).toHaveBeenCalledTimes(allowances['sign-in from address'].burst);
    expect(limited).toBe(10_000 - allowances['sign-in from address'].burst);
  }, 120_000);
});
