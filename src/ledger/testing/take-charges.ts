/** Charges for tests, taken by a transaction that leaves a proof, and the ends that it may come to. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../storage/database.ts';
import { subtractCharges, type Wallets } from '../index.ts';

export type ChargeEnd = 'commit' | 'roll back' | 'lose the answer';

export interface ChargeOrder {
  /** What the database takes, in nano-USD by payer. */
  readonly charges: ReadonlyMap<number, bigint>;
  /** What is stored thereby of that which this process settled; the charges when not given. */
  readonly settled?: ReadonlyMap<number, bigint>;
  readonly end?: ChargeEnd;
}

export const rolledBack = new Error('rolled back on purpose');
export const answerLost = new Error('the answer is lost');

let count = 0;
const made = new WeakMap<Database, Promise<void>>();

/** Once for each database: PostgreSQL refuses one of two that make the same table at the same time. */
async function makeProofs(db: Database): Promise<void> {
  const making =
    made.get(db) ??
    db.execute(sql`CREATE TABLE IF NOT EXISTS proofs (name text PRIMARY KEY)`).then(() => undefined);
  made.set(db, making);
  await making;
}

/** @throws `rolledBack`, `answerLost` or what the database refuses. */
export async function takeCharges(
  db: Database,
  wallets: Wallets,
  { charges, settled = charges, end = 'commit' }: ChargeOrder,
): Promise<void> {
  await makeProofs(db);
  count += 1;
  const name = `charge ${count}`;
  const rows = JSON.stringify(
    [...charges].map(([payer_id, amount]) => ({ payer_id, amount: String(amount) })),
  );
  const table = sql`json_to_recordset(${rows}::text::json)`;
  await wallets.charge({
    payerIds: new Set([...charges.keys(), ...settled.keys()]),
    settled,
    proof: sql`EXISTS (SELECT 1 FROM proofs WHERE name = ${name})`,
    write: async () => {
      await db.transaction(async (transaction) => {
        await transaction.execute(sql`INSERT INTO proofs VALUES (${name})`);
        await transaction.execute(
          subtractCharges(
            sql`(SELECT payer_id, amount AS amount_nano_usd FROM ${table} AS charge (payer_id bigint, amount bigint)) AS charges`,
          ),
        );
        if (end === 'roll back') throw rolledBack;
      });
      if (end === 'lose the answer') throw answerLost;
      return charges;
    },
  });
}
