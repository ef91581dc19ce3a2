/** Limits of keys. */
export type { Limiter, LimitState, Ticket } from './limiter.ts';
export { MemoryLimiter } from './memory-limiter.ts';
