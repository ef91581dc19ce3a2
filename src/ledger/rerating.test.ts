import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { systemIds } from '../base/ids.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import type { Storage } from '../storage/storage.ts';
import { transact } from '../storage/work.ts';
import { deposit } from './books.ts';
import { checkBooks } from './check.ts';
import { type Difference, postReratings } from './rerating.ts';
import { lockAround } from './testing/lock-funds.ts';
import { newPerson } from './testing/people.ts';
import { readMoney } from './testing/read-money.ts';

describeOnEachDatabase('requests that are rated anew', (openDatabase, { kind }) => {
  let storage: Storage;
  const clock = new ManualClock();
  beforeAll(async () => {
    storage = await openDatabase();
  });
  afterAll(() => storage.close());
  afterEach(async () => {
    expect(await checkBooks(storage.db)).toEqual([]);
  });

  const post = (differences: readonly Difference[]) =>
    transact({ storage, clock, ids: systemIds }, (work) => postReratings(work, differences));
  const balanceOf = async (userId: number) => (await readMoney(storage.db, userId)).balanceNanoUsd;
  async function payer(): Promise<number> {
    const userId = await newPerson(storage.db);
    const asked = { userId, amountNanoUsd: 9n, businessKey: `before ${userId}` };
    await transact({ storage, clock, ids: systemIds }, (work) => deposit(work, asked));
    return userId;
  }
  const by = (userId: number, amountNanoUsd: bigint): Difference => ({
    ...{ userId, amountNanoUsd, note: '2 requests' },
    businessKey: `rated ${userId} by ${amountNanoUsd}`,
  });

  test('charge what they cost more and give back the rest, once, and below nothing where it was spent', async () => {
    const [more, less, same] = [await payer(), await payer(), await payer()];
    const differences = [by(more, 12n), by(less, -4n), by(same, 0n)];
    const journals = await post(differences);
    expect([...journals.keys()].toSorted()).toEqual([more, less].toSorted());
    expect(await post(differences)).toEqual(journals);
    expect([await balanceOf(more), await balanceOf(less), await balanceOf(same)]).toEqual([-3n, 13n, 9n]);
    expect(await post([by(same, 0n)])).toEqual(new Map());
  });

  test.skipIf(kind === 'embedded')('are charged beside who settles usage of the same payers', async () => {
    const [first, second] = [await payer(), await payer()];
    await lockAround(storage, [first, second], () => post([by(second, 2n), by(first, 1n)]));
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([8n, 7n]);
  });
});
