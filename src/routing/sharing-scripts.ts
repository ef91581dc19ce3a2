/** Where things stand in Redis, and what is done there in one step. Time is Redis's own: clocks of machines may differ. */

export const namesIn = (prefix: string) => ({
  circuits: `${prefix}circuits`,
  /** In braces, so that what belongs to it is where it is. */
  states: `${prefix}{states}`,
  ages: `${prefix}{states}:ages`,
  processes: `${prefix}processes`,
  /** A channel. */
  told: `${prefix}told`,
  session: (session: string) => `${prefix}session:${session}`,
});

const nowMs = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** More names than this no service has; what is beyond them is told to those who listen and kept for nobody. */
const mostKept = 5000;
const keptMs = 8 * 86_400_000;

/** KEYS circuits. ARGV channel, process, then for each circuit: name, how long it is open still (0: closed), the rest. */
export const tellScript = `${nowMs}
for at = 3, #ARGV, 3 do
  local name, open, rest = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  if open == 0 then
    redis.call('HDEL', KEYS[1], name)
  elseif redis.call('HLEN', KEYS[1]) < ${mostKept} or redis.call('HEXISTS', KEYS[1], name) == 1 then
    redis.call('HSET', KEYS[1], name, string.format('%.0f', now + open) .. ' ' .. rest)
  end
  redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. ARGV[at + 1] .. ' ' .. rest)
end
redis.call('PEXPIRE', KEYS[1], ${keptMs})
return 0`;

/** KEYS circuits. Drops those whose time is over. Returns for each other one how long it is open still, and the rest. */
export const readScript = `${nowMs}
local kept = redis.call('HGETALL', KEYS[1])
local told = {}
for at = 1, #kept, 2 do
  local untilMs, rest = string.match(kept[at + 1], '^(%d+) (.*)$')
  if untilMs == nil or tonumber(untilMs) <= now then
    redis.call('HDEL', KEYS[1], kept[at])
  else
    told[#told + 1] = string.format('%.0f', tonumber(untilMs) - now) .. ' ' .. rest
  end
end
return told`;

/** Of all processes together: some 20 MB. */
export const mostStates = 100_000;

/**
 * KEYS holders, their ages. ARGV how long each is kept, how many, then for each: word, holder. Those whose time is over
 * go, some at each telling, and of too many the oldest.
 */
export const keepStatesScript = `${nowMs}
for at = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  redis.call('ZADD', KEYS[2], now + tonumber(ARGV[1]), ARGV[at])
end
local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)
local excess = redis.call('ZCARD', KEYS[2]) - #over - tonumber(ARGV[2])
if excess > 0 then
  over = redis.call('ZRANGE', KEYS[2], 0, #over + excess - 1)
end
for _, word in ipairs(over) do
  redis.call('HDEL', KEYS[1], word)
  redis.call('ZREM', KEYS[2], word)
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 0`;

/** KEYS processes. ARGV process, how long it is taken to live. Returns how many live. */
export const beatScript = `${nowMs}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]) * 2)
return redis.call('ZCARD', KEYS[1])`;
