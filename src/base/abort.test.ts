import { expect, test } from 'bun:test';
import { Abort } from './abort.ts';

test('an abort is told once to who listens, and not to who has ceased to', () => {
  const abort = new Abort();
  const heard: unknown[] = [];
  const listener = (name: string) => ({ aborted: (reason: unknown) => heard.push([name, reason]) });
  const left = listener('left');
  abort.add(listener('first'));
  abort.add(left);
  abort.add(listener('last'));
  abort.remove(left);
  abort.throwIfAborted();
  expect(abort.isAborted).toBe(false);
  abort.abort('gone');
  abort.abort('gone again');
  expect(heard).toEqual([
    ['first', 'gone'],
    ['last', 'gone'],
  ]);
  expect(abort.isAborted).toBe(true);
  expect(() => abort.throwIfAborted()).toThrow('gone');
});

test('whoever ceases to listen takes nobody with it, though it was the first or the only one', () => {
  const abort = new Abort();
  const heard: string[] = [];
  const listener = (name: string) => ({ aborted: () => heard.push(name) });
  const only = listener('only');
  const third = listener('third');
  abort.add(only);
  abort.remove(only);
  abort.remove(only);
  for (const each of [only, listener('second'), third]) abort.add(each);
  abort.remove(only);
  abort.add(listener('last'));
  abort.remove(third);
  abort.abort('gone');
  expect(heard).toEqual(['second', 'last']);
});

test('a signal tells of it whether it was made before or after', () => {
  const abort = new Abort();
  const before = abort.signal;
  expect(before.aborted).toBe(false);
  abort.abort();
  expect(before.aborted).toBe(true);
  expect(before.reason).toHaveProperty('name', 'AbortError');
  const late = new Abort();
  late.abort(new Error('gone'));
  expect(late.signal.reason).toEqual(new Error('gone'));
  expect(abort.signal).toBe(before);
});
