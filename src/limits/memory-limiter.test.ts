import { describeLimiter } from './limiter.cases.ts';
import { MemoryLimiter } from './memory-limiter.ts';

describeLimiter('MemoryLimiter', (clock) => new MemoryLimiter(clock));
