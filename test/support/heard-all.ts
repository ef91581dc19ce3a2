/** Waits for what is announced to processes, in tests. */
import type { Storage } from '../../src/storage/index.ts';

let marks = 0;

/** Every change that was committed before has been heard of here: they come in the order of their commits. */
export async function heardAll({ db, changes }: Pick<Storage, 'db' | 'changes'>): Promise<void> {
  marks += 1;
  const own = `${process.pid} ${marks}`;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = changes.subscribe('mark', (key) => {
    if (key === own) resolve();
  });
  await changes.publish(db, 'mark', own);
  await promise;
  stop();
}
