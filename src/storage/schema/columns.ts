/** Column shapes that every table spells the same way. */
import { bigint, timestamp } from 'drizzle-orm/pg-core';

/** A surrogate key. JavaScript numbers are exact up to 2^53, far beyond any row count here. */
export const identityColumn = () => bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity();

export const createdAtColumn = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow();

/** An amount of money in nano-USD (10^-9 USD), signed, exact. */
export const nanoUsdColumn = (name: string) => bigint(name, { mode: 'bigint' });

/** Somebody else's `identityColumn`. */
export const idColumn = (name: string) => bigint(name, { mode: 'number' });

export const timeColumn = (name: string) => timestamp(name, { withTimezone: true });
