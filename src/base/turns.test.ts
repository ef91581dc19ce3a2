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
  for (let piece = 1; piece <= 5; piece += 1) {
    const room = turns.take();
    if (room === undefined) done.push(piece);
    else void room.then(() => done.push(piece));
  }
  expect(done).toEqual([1, 2]);
  await endTurn();
  expect(done).toEqual([1, 2, 3, 4]);
  await endTurn();
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('whoever waited has its place before whoever comes', async () => {
  const { turns, endTurn } = turnsOf(1);
  turns.take();
  let isDone = false;
  void turns.take()?.then(() => {
    isDone = true;
  });
  await endTurn();
  expect(isDone).toBe(true);
  expect(turns.take()).toBeInstanceOf(Promise);
});

test('nothing is left behind once all is done', async () => {
  const { turns, endTurn, pending } = turnsOf(3);
  turns.take();
  turns.take();
  await endTurn();
  expect(pending()).toBe(0);
  expect(turns.take()).toBeUndefined();
});

test('the sockets are looked at in between', async () => {
  const turns = new Turns({ most: 10 });
  const server = Bun.serve({ port: 0, fetch: () => new Response('here') });
  let isAnswered = false;
  const answer = fetch(server.url).then((response) => {
    isAnswered = true;
    return response.text();
  });
  let pieces = 0;
  while (!isAnswered && pieces < 1_000_000) {
    await turns.take();
    pieces += 1;
  }
  expect(isAnswered).toBe(true);
  expect(await answer).toBe('here');
  await server.stop(true);
});
