import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { Turns } from './turns.ts';

/** Turns that end when the test says so. */
function turnsOf(most: number) {
  let ends: (() => void)[] = [];
  const turns = new Turns({ most, afterThisTurn: (run) => ends.push(run) });
  const endTurn = async () => {
    const due = ends;
    ends = [];
    for (const run of due) run();
    await Promise.resolve();
  };
  return { turns, endTurn, pending: () => ends.length };
}

test('so many pieces are done in one turn, the others in the next ones, in their order', async () => {
  const { turns, endTurn } = turnsOf(2);
  const done: number[] = [];
  for (let piece = 1; piece <= 5; piece += 1) void turns.next().then(() => done.push(piece));
  expect(done).toEqual([]);
  await endTurn();
  expect(done).toEqual([1, 2]);
  await endTurn();
  expect(done).toEqual([1, 2, 3, 4]);
  await endTurn();
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('whoever waited has its place before whoever comes', async () => {
  const { turns, endTurn } = turnsOf(1);
  const done: string[] = [];
  void turns.next().then(() => {
    done.push('first');
    void turns.next().then(() => done.push('first again'));
  });
  void turns.next().then(() => done.push('second'));
  for (let turn = 0; turn < 3; turn += 1) await endTurn();
  expect(done).toEqual(['first', 'second', 'first again']);
});

test('whoever enters goes on at once while there is room in the turn, and in a later one when there is none', async () => {
  const { turns, endTurn } = turnsOf(2);
  expect([turns.enter(), turns.enter()]).toEqual([undefined, undefined]);
  const done: string[] = [];
  void turns.enter()?.then(() => done.push('third'));
  void turns.enter()?.then(() => done.push('fourth'));
  void turns.enter()?.then(() => done.push('fifth'));
  expect(done).toEqual([]);
  await endTurn();
  expect(done).toEqual(['third', 'fourth']);
  void turns.enter()?.then(() => done.push('sixth'));
  await endTurn();
  expect(done).toEqual(['third', 'fourth', 'fifth', 'sixth']);
  await endTurn();
  expect(turns.enter()).toBeUndefined();
});

test('turns in which little is done are not looked at, and all of them together have room for so much', async () => {
  const { turns, endTurn, pending } = turnsOf(4);
  expect([turns.enter(), turns.enter()]).toEqual([undefined, undefined]);
  expect(pending()).toBe(0);
  expect([turns.enter(), turns.enter()]).toEqual([undefined, undefined]);
  expect(pending()).toBe(1);
  const done: string[] = [];
  void turns.enter()?.then(() => done.push('fifth'));
  expect(done).toEqual([]);
  await endTurn();
  expect(done).toEqual(['fifth']);
  await endTurn();
  expect(Array.from({ length: 4 }, () => turns.enter())).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(turns.enter()).toBeInstanceOf(Promise);
});

test('no more than so many are done before the sockets are looked at, whatever was done before', () => {
  let looks = 0;
  let end = (): void => undefined;
  const turns = new Turns({
    most: 5,
    afterThisTurn: (run) => {
      end = () => {
        looks += 1;
        run();
      };
    },
  });
  for (const quiet of [0, 1, 2]) {
    for (let number = 0; number < quiet; number += 1) expect(turns.enter()).toBeUndefined();
    let done = quiet;
    while (turns.enter() === undefined) done += 1;
    expect(done).toBe(5);
    // The one that waited has its turn, and then nobody.
    end();
    end();
  }
  expect(looks).toBe(6);
});

test('nothing is left behind once all is done', async () => {
  const { turns, endTurn, pending } = turnsOf(3);
  void turns.next();
  void turns.next();
  expect(pending()).toBe(1);
  await endTurn();
  await endTurn();
  expect(pending()).toBe(0);
});

test('the sockets are looked at in between', async () => {
  const turns = new Turns({ most: 10 });
  const server = Bun.serve({ port: 0, fetch: () => new Response('here') });
  let isAnswered = false;
  const answer = fetch(server.url).then((response) => {
    isAnswered = true;
    return response.text();
  });
  while (!isAnswered) await turns.next();
  expect(await answer).toBe('here');
  await server.stop(true);
});

test('nothing is kept of those who are through, though somebody always waits', async () => {
  const { turns, endTurn } = turnsOf(2);
  const run = async (passes: number) => {
    for (let left = passes; left > 0; left -= 1) await turns.next();
  };
  const kept = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts['Promise'] ?? 0;
  };
  const before = kept();
  const running = [run(10_000), run(10_000), run(10_000)];
  for (let turn = 0; turn < 12_000; turn += 1) await endTurn();
  expect(kept() - before).toBeLessThan(10_000);
  for (let turn = 0; turn < 4_000; turn += 1) await endTurn();
  await Promise.all(running);
});
