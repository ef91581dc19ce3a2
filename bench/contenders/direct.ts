/** No contender at all: what client and upstream alone can do on this machine. */
import { type Contender, chatUrl, plainHeaders } from './contender.ts';

export const direct: Contender = {
  name: 'direct',
  title: 'direct (no proxy)',
  start: async ({ upstreamPort }) => ({
    url: chatUrl(upstreamPort),
    headers: plainHeaders,
    readCost: () => null,
    readDatabaseCost: () => null,
    stop: async () => undefined,
  }),
};
