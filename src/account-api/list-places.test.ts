import { expect, test } from 'bun:test';
import { ListPlaces } from './list-places.ts';

test('three lists of an account are read at once, the others in their order, and those of others beside them', async () => {
  const places = new ListPlaces();
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const read = (userId: number, name: string) =>
    places.use(userId, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => read(1, name));
  const other = read(2, 'other');
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'c', 'other']);
  ends[1]?.();
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'c', 'other', 'd']);
  ends[0]?.();
  await all[0];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b', 'c', 'other', 'd', 'e']);
  for (const end of ends) end();
  await Promise.all([...all, other]);
});

test('a list that cannot be read leaves its place, and more than two hundred wait for nothing', async () => {
  const places = new ListPlaces();
  const fail = () => places.use(1, () => Promise.reject(new Error('away')));
  for (let times = 0; times < 5; times += 1) await expect(fail()).rejects.toThrow('away');
  const { promise, resolve } = Promise.withResolvers<void>();
  const all = Array.from({ length: 203 }, () => places.use(1, () => promise));
  await expect(places.use(1, () => promise)).rejects.toMatchObject({ code: 'rate_limited' });
  resolve();
  await Promise.all(all);
});
