/** No contender at all: what client and upstream alone can do on this machine. */
import { type Contender, originOf, plainHeaders } from './contender.ts';

export const direct: Contender = {
  name: 'direct',
  title: 'direct (no proxy)',
  start: async ({ upstreamPort }) => ({
    origin: originOf(upstreamPort),
    headers: plainHeaders,
    readCost: () => null,
    readDatabaseCost: () => null,
    stop: async () => undefined,
  }),
};
