/** What pages load is made once in a process, and is there before somebody asks for a page. */
import { expect, test } from 'bun:test';
import { madeOnce } from './assets.tsx';

test('what could not be made is made anew for the next, and what was made is kept', async () => {
  let times = 0;
  const load = madeOnce(async () => {
    times += 1;
    if (times === 1) throw new Error('the packages are being installed');
    return times;
  });
  await expect(Promise.all([load(), load()])).rejects.toThrow('the packages are being installed');
  expect(await Promise.all([load(), load()])).toEqual([2, 2]);
  expect(await load()).toBe(2);
});
