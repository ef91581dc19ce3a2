/** A database that hands out a connection for a transaction only after a wait. */
import type { Database } from '../../storage/database.ts';

export function slowToBegin(db: Database, wait: () => Promise<void>): Database {
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'transaction') {
        return async (...given: Parameters<Database['transaction']>) => {
          await wait();
          return await target.transaction(...given);
        };
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
