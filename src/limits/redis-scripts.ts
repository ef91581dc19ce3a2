/**
 * What is done in Redis, each step in one script and so in one go: for a request both its key and its user at once. The
 * arithmetic is that of `meter.ts` and `counting.ts`; README.md says what is kept under which name.
 */
import { createHash } from 'node:crypto';
import { partsOfOne } from './meter.ts';

export type Step = 'register' | 'renew' | 'leave' | 'admit' | 'reserve' | 'close' | 'restore' | 'look';

/** The first number of a reply to a process whose lease is over: nothing was done. */
export const unknownProcess = -1;

/** Within that time all processes are back that lost Redis at once. */
const rejoiningMs = 10_000;

/**
 * KEYS: the processes, then a hash for each holder. ARGV: this process, the time (empty for the server's own), then for
 * each holder its requests and tokens a minute and requests at once (empty without a limit), then what the step says.
 */
const beginning = `
local parts = ${partsOfOne}
local clock = redis.call('TIME')
local serverMs = clock[1] * 1000 + math.floor(clock[2] / 1000)
local nowMs = tonumber(ARGV[2]) or serverMs
local me = ARGV[1]
local holders = #KEYS - 1
local rest = 2 + 3 * holders
local known = {}

local function lives(process)
  if known[process] == nil then
    local untilMs = redis.call('ZSCORE', KEYS[1], process)
    known[process] = untilMs ~= false and tonumber(untilMs) > serverMs
  end
  return known[process]
end

local function settled(used, was, limit, passedMs)
  if limit == nil then return 0 end
  was = was or limit
  used = math.max(0, (used or 0) - passedMs * was)
  return math.max(0, used - math.max(0, was - limit) * parts)
end

local function read(i)
  local at = 3 * i
  local holder = {
    name = KEYS[i + 1], rpm = tonumber(ARGV[at]), tpm = tonumber(ARGV[at + 1]), places = tonumber(ARGV[at + 2]),
    underWay = 0, reserved = 0, mine = 0, myReserved = 0, gone = {}
  }
  local stored = {}
  local fields = redis.call('HGETALL', holder.name)
  for f = 1, #fields, 2 do
    local name, value = fields[f], tonumber(fields[f + 1])
    local kind, process = string.match(name, '^(%a):(.+)$')
    if kind == nil then
      stored[name] = value
    elseif not lives(process) then
      table.insert(holder.gone, name)
    elseif kind == 'n' then
      holder.underWay = holder.underWay + value
      if process == me then holder.mine = value end
    else
      holder.reserved = holder.reserved + value
      if process == me then holder.myReserved = value end
    end
  end
  holder.stored = stored
  local passedMs = math.max(0, nowMs - (stored.at or nowMs))
  holder.requests = settled(stored.r, stored.rl, holder.rpm, passedMs)
  holder.tokens = settled(stored.t, stored.tl, holder.tpm, passedMs)
  return holder
end

local function take(holder, requests, tokens)
  if holder.rpm then holder.requests = math.max(0, holder.requests + requests * parts) end
  if holder.tpm then holder.tokens = math.max(0, holder.tokens + tokens * parts) end
end

local function occupy(holder, places, reserved)
  local mine = math.max(0, holder.mine + places)
  local myReserved = math.max(0, holder.myReserved + reserved)
  holder.underWay = holder.underWay + mine - holder.mine
  holder.mine, holder.myReserved = mine, myReserved
end

local function keep(holder, field, count)
  if count > 0 then redis.call('HSET', holder.name, field, count) else redis.call('HDEL', holder.name, field) end
end

local function write(holder)
  redis.call('HSET', holder.name, 'at', nowMs, 'r', holder.requests, 'rl', holder.rpm or 0,
    't', holder.tokens, 'tl', holder.tpm or 0)
  if #holder.gone > 0 then redis.call('HDEL', holder.name, unpack(holder.gone)) end
  keep(holder, 'n:' .. me, holder.mine)
  keep(holder, 'v:' .. me, holder.myReserved)
  local ttlMs = 86400000
  if holder.underWay == 0 then
    ttlMs = 1000 + math.ceil(math.max(holder.requests / (holder.rpm or 1), holder.tokens / (holder.tpm or 1)))
  end
  redis.call('PEXPIRE', holder.name, ttlMs)
end

local function readAll()
  local all = {}
  for i = 1, holders do all[i] = read(i) end
  return all
end

local function answer(all, whose, what, waitMs)
  local reply = { whose, what, waitMs }
  for i = 1, #all do
    table.insert(reply, all[i].requests)
    table.insert(reply, all[i].tokens)
    table.insert(reply, all[i].underWay)
  end
  return reply
end

local function renewed(leaseMs)
  redis.call('ZADD', KEYS[1], serverMs + leaseMs, me)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', serverMs)
  redis.call('PEXPIRE', KEYS[1], 2 * leaseMs)
  return { redis.call('ZCARD', KEYS[1]) }
end

local function tooMuch(used, amount, limit)
  return used + (amount - limit) * parts
end
`;

const stranger = `if not lives(me) then return { ${unknownProcess} } end\n`;

const steps: Record<Step, string> = {
  /** ARGV: the lease, and who this process was before. */
  register: `
redis.call('ZREM', KEYS[1], ARGV[rest + 2])
return renewed(tonumber(ARGV[rest + 1]))`,

  renew: `${stranger}return renewed(tonumber(ARGV[rest + 1]))`,

  leave: `return { redis.call('ZREM', KEYS[1], me) }`,

  admit: `${stranger}
local all = readAll()
local whose, what, longestMs = 0, 0, -1
local function exceeded(i, kind, waitMs)
  if waitMs > longestMs then whose, what, longestMs = i, kind, waitMs end
end
for i, holder in ipairs(all) do
  if holder.places and holder.underWay >= holder.places then exceeded(i, 3, 1000) end
  if holder.rpm then
    local over = tooMuch(holder.requests, 1, holder.rpm)
    if over > 0 then exceeded(i, 1, math.ceil(over / holder.rpm)) end
  end
  if holder.tpm then
    local over = tooMuch(holder.tokens, 1, holder.tpm)
    if over > 0 then exceeded(i, 2, math.ceil(over / holder.tpm)) end
  end
end
if whose > 0 then return answer(all, whose, what, longestMs) end
for _, holder in ipairs(all) do
  take(holder, 1, 0)
  occupy(holder, 1, 0)
  write(holder)
end
return answer(all, 0, 0, 0)`,

  /** ARGV: the tokens. */
  reserve: `${stranger}
local tokens = tonumber(ARGV[rest + 1])
local all = readAll()
local whose, longestMs = 0, -1
for i, holder in ipairs(all) do
  if holder.tpm and holder.reserved > 0 then
    local over = tooMuch(holder.tokens, math.min(tokens, holder.tpm), holder.tpm)
    local waitMs = math.ceil(over / holder.tpm)
    if over > 0 and waitMs > longestMs then whose, longestMs = i, waitMs end
  end
end
for _, holder in ipairs(all) do
  local amount = holder.tpm and math.min(tokens, holder.tpm) or 0
  if whose > 0 then
    take(holder, -1, 0)
    occupy(holder, -1, 0)
  else
    take(holder, 0, amount)
    occupy(holder, 0, amount)
  end
  write(holder)
end
return answer(all, whose, 2, longestMs)`,

  /** ARGV: the tokens that were used, then for each holder what was reserved of it. */
  close: `${stranger}
local all = readAll()
for i, holder in ipairs(all) do
  local reserved = tonumber(ARGV[rest + 1 + i])
  take(holder, 0, tonumber(ARGV[rest + 1]) - reserved)
  occupy(holder, -1, -reserved)
  write(holder)
end
return answer(all, 0, 0, 0)`,

  /**
   * ARGV: for each holder six numbers: requests and tokens that were in use when they were last told, as far as they are
   * still, those taken since, all in parts, and this process's places and reserved tokens. What was in use is known to
   * several processes and counts once, whether Redis has kept it or not; what each took since counts each time.
   */
  restore: `${stranger}
local all = readAll()
for i, holder in ipairs(all) do
  local told = rest + 6 * (i - 1)
  local function number(n) return tonumber(ARGV[told + n]) end
  local stored = holder.stored
  local passedMs = stored.ba and math.max(0, nowMs - stored.ba)
  local isNew = not passedMs or passedMs > ${rejoiningMs}
  local requests = isNew and holder.requests or settled(stored.br, nil, holder.rpm, passedMs)
  local tokens = isNew and holder.tokens or settled(stored.bt, nil, holder.tpm, passedMs)
  if holder.rpm then
    holder.requests = math.max(0, holder.requests + math.max(0, number(1) - requests) + number(3))
  end
  if holder.tpm then
    holder.tokens = math.max(0, holder.tokens + math.max(0, number(2) - tokens) + number(4))
  end
  occupy(holder, number(5) - holder.mine, number(6) - holder.myReserved)
  write(holder)
  redis.call('HSET', holder.name, 'ba', nowMs, 'br', math.max(requests, number(1)), 'bt', math.max(tokens, number(2)))
end
return answer(all, 0, 0, 0)`,

  look: `return answer(readAll(), 0, 0, 0)`,
};

interface Script {
  readonly text: string;
  /** By which Redis knows it once it is loaded. */
  readonly sha: string;
}

function scriptOf(step: Step): Script {
  const text = `${beginning}${steps[step]}`;
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

export const scripts: Record<Step, Script> = {
  register: scriptOf('register'),
  renew: scriptOf('renew'),
  leave: scriptOf('leave'),
  admit: scriptOf('admit'),
  reserve: scriptOf('reserve'),
  close: scriptOf('close'),
  restore: scriptOf('restore'),
  look: scriptOf('look'),
};
