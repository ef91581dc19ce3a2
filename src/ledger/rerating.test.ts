import { expect, test } from 'bun:test';
import { describeOnEachDatabase } from '../../test/support/databases.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { deposit } from './books.ts';
import { type Difference, postReratings } from './rerating.ts';
import { lockAround } from './testing/lock-funds.ts';
import { openTestBooks } from './testing/test-books.ts';

describeOnEachDatabase('requests that are rated anew', (openDatabase, { kind }) => {
  const clock = new ManualClock();
  const books = openTestBooks(openDatabase, { clock: () => clock });
  const { balanceOf } = books;

  const post = (differences: readonly Difference[]) =>
    books.write((work) => postReratings(work, differences));
  async function payer(): Promise<number> {
    const userId = await books.newPerson();
    const asked = { userId, amountNanoUsd: 9n, businessKey: `before ${userId}` };
    await books.write((work) => deposit(work, asked));
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
    await lockAround(books, [first, second], () => post([by(second, 2n), by(first, 1n)]));
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([8n, 7n]);
  });
});
