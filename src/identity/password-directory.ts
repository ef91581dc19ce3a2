/**
 * Who an e-mail address and a password belong to, for programs that send both with every request: whoever was right is
 * known again for some minutes, without the work that comparing a password takes.
 */
import { createHmac } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { AppError } from '../base/errors.ts';
import { users } from '../storage/schema/identity.ts';
import type { WorkParts } from '../storage/work.ts';
import { asksSecondFactor } from './admission.ts';
import { findPasswordHolder, type PasswordHolder, type PasswordShown } from './password-sign-in.ts';
import { readUser, type User } from './user.ts';

const rememberedForMs = 300_000;
const mostRemembered = 10_000;

interface Remembered {
  readonly userId: number;
  /** That the password was compared with: another one in the database means that the password may be another. */
  readonly passwordHash: string;
  readonly untilMs: number;
}

export class PasswordDirectory {
  readonly #parts: WorkParts;
  /** Of this process alone, so that what it remembers is of no use anywhere else. */
  readonly #secret: Uint8Array;
  /** By a keyed hash of address and password. */
  readonly #remembered = new LRUCache<string, Remembered>({ max: mostRemembered });
  readonly #comparing = new Map<string, Promise<PasswordHolder | undefined>>();

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#secret = parts.ids.randomBytes(32);
  }

  /**
   * @returns the person, whatever their status.
   * @throws AppError `wrong_credentials`; `rate_limited`, by the same allowances as signing in; `sign_in_elsewhere` for
   *   who has a second factor, which a password alone must not go round.
   */
  async find(shown: PasswordShown): Promise<User> {
    const { db } = this.#parts.storage;
    const key = createHmac('sha256', this.#secret)
      .update(JSON.stringify([shown.email.trim().toLowerCase(), shown.password]))
      .digest('base64');
    const row = (await this.#recall(key, shown)) ?? (await this.#compare(key, shown));
    if (!(await asksSecondFactor(db, row.id))) return readUser(row);
    throw new AppError({
      code: 'sign_in_elsewhere',
      public:
        'This account has a second factor, so that its password alone opens nothing here. Create an API key with the scope `account`, or `read` to look only, and send it as a Bearer token.',
    });
  }

  /** The row is read anew each time: a changed password, a suspension and a removal hold at once, in every process. */
  async #recall(key: string, { email }: PasswordShown): Promise<PasswordHolder['row'] | undefined> {
    const { storage, clock } = this.#parts;
    const known = this.#remembered.get(key);
    if (known === undefined) return undefined;
    if (clock.monotonicMs() < known.untilMs) {
      const [row] = await storage.db.select().from(users).where(eq(users.id, known.userId));
      const isSame = row?.email === email.trim().toLowerCase() && row.passwordHash === known.passwordHash;
      if (isSame) return row;
    }
    this.#remembered.delete(key);
    return undefined;
  }

  /** Once for all who show the same at the same time: a program's first requests come together. */
  async #compare(key: string, shown: PasswordShown): Promise<PasswordHolder['row']> {
    const comparing = this.#comparing.get(key) ?? findPasswordHolder(this.#parts, shown);
    this.#comparing.set(key, comparing);
    try {
      const holder = await comparing;
      if (holder === undefined) {
        throw new AppError({
          code: 'wrong_credentials',
          public: 'The e-mail address or the password is not right.',
        });
      }
      const { row, passwordHash } = holder;
      const untilMs = this.#parts.clock.monotonicMs() + rememberedForMs;
      this.#remembered.set(key, { userId: row.id, passwordHash, untilMs });
      return row;
    } finally {
      this.#comparing.delete(key);
    }
  }
}
