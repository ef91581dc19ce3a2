/** Limits of keys and of people. */
export {
  describeLimits,
  type Limiter,
  type LimitReport,
  type LimitState,
  type LimitStates,
  RateLimitedError,
  type Ticket,
} from './limiter.ts';
export { MemoryLimiter } from './memory-limiter.ts';
export { RedisLimiter } from './redis-limiter.ts';
