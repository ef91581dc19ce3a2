/**
 * What must be slow for whoever guesses: an allowance that is used up at once or little by little and grows back
 * evenly (GCRA). It is kept in the database and told by the database's time, so that all replicas share it, be their clocks
 * apart, and a restart gives nothing back.
 */
import { eq, lte, type SQL, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { AppError } from '../base/errors.ts';
import type { AgreeingParts } from '../storage/agreed-time.ts';
import type { Database } from '../storage/database.ts';
import { throttles } from '../storage/schema/sign-in.ts';
import { transact, type WorkParts } from '../storage/work.ts';
import { hashToken } from './token.ts';

export interface Allowance {
  /** How many at once. */
  readonly burst: number;
  /** After how long one more is allowed. */
  readonly oneEveryMs: number;
}

const dayMs = 86_400_000;

/** By what is asked for; an account is meant by its address, whether it exists or not, but where a link names it. */
export const allowances = {
  /** Wrong passwords and codes for one account, from anywhere. */
  'sign-in of account': { burst: 10, oneEveryMs: 60_000 },
  /** The same at a browser that signed the account in before with the password that it has, for which nobody else stands. */
  'sign-in at known browser': { burst: 10, oneEveryMs: 60_000 },
  /** Wrong passwords of who is signed in, and is to show once more who they are. */
  'proof of account': { burst: 10, oneEveryMs: 60_000 },
  /** Wrong passwords beside the link of a verification mail, which nobody else can use up. */
  'confirmation of account': { burst: 10, oneEveryMs: 60_000 },
  /**
   * Codes of a second factor, for whoever has shown the first. Three of a million are right at a time: one a minute
   * would find one within months.
   */
  'code of account': { burst: 10, oneEveryMs: 900_000 },
  /** Wrong codes that nobody is told of; people mistype. */
  'wrong codes of account': { burst: 4, oneEveryMs: dayMs },
  'warning of account': { burst: 1, oneEveryMs: dayMs },
  /** The same from one address: an office behind one address signs in in the morning. */
  'sign-in from address': { burst: 60, oneEveryMs: 5_000 },
  /** Comparisons with a right password that are not counted of the address: many programs use one account from it. */
  'right passwords of account': { burst: 60, oneEveryMs: 5_000 },
  'register from address': { burst: 20, oneEveryMs: 60_000 },
  /** Links to a new password, which no other mail is to use up for who cannot sign in. */
  'reset mail to account': { burst: 4, oneEveryMs: 900_000 },
  /** Other mails that anybody may have sent to somebody. */
  'mail to account': { burst: 4, oneEveryMs: 900_000 },
  'mail from address': { burst: 20, oneEveryMs: 60_000 },
  /** Keys that are made and revoked again stay in the books. */
  'keys of account': { burst: 100, oneEveryMs: 10_000 },
  /** To whomever: a mail in the name of this service, with a name that its sender chose. */
  'invitations of account': { burst: 50, oneEveryMs: 300_000 },
  /** Requests to whatever address a webhook names, which may be a stranger's. */
  'webhook tries of account': { burst: 10, oneEveryMs: 60_000 },
  'export of account': { burst: 5, oneEveryMs: 3_600_000 },
  /** Requests of the start page, which cost nothing but time. */
  'demonstration from address': { burst: 10, oneEveryMs: 6_000 },
  /** The way back from an identity provider: once, for longer than its cookie lives. */
  'answer of provider': { burst: 1, oneEveryMs: 3_600_000 },
} as const satisfies Record<string, Allowance>;

export type Throttled = keyof typeof allowances;

/** When the next one is there of what is used up, for those who were refused last: who goes on asking at once costs no query. */
const usedUp = new WeakMap<Database, LRUCache<string, number>>();
const mostUsedUp = 10_000;

/** One row in so many uses is looked at for those that are whole again, so that the table stays small. */
const sweepOneIn = 64;

/**
 * Takes one of the allowance for `subject`.
 * @throws AppError `rate_limited` with the seconds until the next one, and takes none then.
 */
export async function take(parts: AgreeingParts, what: Throttled, subject: string): Promise<void> {
  const { burst, oneEveryMs } = allowances[what];
  refuseUsedUp(parts, what, subject);
  const key = keyOf(what, subject);
  const now = await databaseNow(parts);
  // The row is whole at most `burst` steps from now: one that would go past that is not written, and comes back empty.
  const latest = sql`${now} + ${spanOf((burst - 1) * oneEveryMs)}`;
  const taken = await transact(parts, async ({ executor, ids }) => {
    if ((ids.randomBytes(1)[0] ?? 0) % sweepOneIn === 0) {
      await executor.delete(throttles).where(lte(throttles.wholeAt, now));
    }
    const step = spanOf(oneEveryMs);
    return await executor
      .insert(throttles)
      .values({ key, wholeAt: sql`${now} + ${step}` })
      .onConflictDoUpdate({
        target: throttles.key,
        set: { wholeAt: sql`greatest(${throttles.wholeAt}, ${now}) + ${step}` },
        setWhere: lte(throttles.wholeAt, latest),
      })
      .returning({ key: throttles.key });
  });
  if (taken.length > 0) return;
  const [row] = await parts.storage.db
    .select({
      waitMs: sql<string>`ceil(extract(epoch FROM ${throttles.wholeAt} - (${latest})) * 1000)::text`,
    })
    .from(throttles)
    .where(eq(throttles.key, key));
  const waitMs = Number(row?.waitMs ?? 0);
  usedUpIn(parts).set(key, parts.clock.nowMs() + waitMs);
  throw refusal(waitMs);
}

/** As part of a statement, so that it costs no query of its own. */
async function databaseNow({ storage, databaseMs }: AgreeingParts): Promise<SQL> {
  if (databaseMs === undefined) return sql`date_trunc('milliseconds', now())`;
  return sql`${new Date(await databaseMs(storage.db)).toISOString()}::timestamptz`;
}

const spanOf = (spanMs: number): SQL => sql`${spanMs} * interval '1 millisecond'`;

/**
 * Refuses, without asking the database, whoever was refused lately; `take` may still refuse who is let through.
 * @throws AppError `rate_limited`.
 */
export function refuseUsedUp(parts: WorkParts, what: Throttled, subject: string): void {
  const nowMs = parts.clock.nowMs();
  const nextAtMs = usedUpIn(parts).get(keyOf(what, subject));
  if (nextAtMs !== undefined && nextAtMs > nowMs) throw refusal(nextAtMs - nowMs);
}

/** The same, where nobody is refused. @returns whether there was one. */
export async function takeIfLeft(parts: AgreeingParts, what: Throttled, subject: string): Promise<boolean> {
  try {
    await take(parts, what, subject);
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'rate_limited') return false;
    throw thrown;
  }
}

/** Gives the whole allowance back, as after a right password. */
export async function giveBack(parts: WorkParts, what: Throttled, subject: string): Promise<void> {
  const key = keyOf(what, subject);
  await transact(parts, async ({ executor }) => {
    await executor.delete(throttles).where(eq(throttles.key, key));
  });
  usedUpIn(parts).delete(key);
}

/**
 * Gives back what one `take` took, where it turned out to count for nothing. What grew back in between is not taken off
 * again, so that this gives at most that little too much. Another process that refused the subject from memory does so
 * until the next attempt would have been there.
 */
export async function giveOneBack(parts: WorkParts, what: Throttled, subject: string): Promise<void> {
  const key = keyOf(what, subject);
  const step = spanOf(allowances[what].oneEveryMs);
  await transact(parts, async ({ executor }) => {
    await executor
      .update(throttles)
      .set({ wholeAt: sql`${throttles.wholeAt} - ${step}` })
      .where(eq(throttles.key, key));
  });
  usedUpIn(parts).delete(key);
}

function refusal(waitMs: number): AppError {
  const retryAfterSeconds = Math.ceil(Math.max(1000, waitMs) / 1000);
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new AppError({
    code: 'rate_limited',
    public: `There were too many attempts. Try again in ${wait}.`,
    retryAfterSeconds,
  });
}

function usedUpIn({ storage: { db } }: WorkParts): LRUCache<string, number> {
  const known = usedUp.get(db);
  if (known !== undefined) return known;
  const fresh = new LRUCache<string, number>({ max: mostUsedUp });
  usedUp.set(db, fresh);
  return fresh;
}

/** Addresses are personal data: their hash is enough. */
function keyOf(what: Throttled, subject: string): string {
  return hashToken(`${what}:${subject}`);
}
