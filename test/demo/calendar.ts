/** When the requests of the demonstration come: workdays and nights, sessions, and a year in which they become more. */
import { Random } from '../fuzz/random.ts';
import type { DemoKey, Rhythm } from './world.ts';

/** A request before anything but its time and its session is known. */
export interface Draft {
  readonly atMs: number;
  /** Place of its key in the list. */
  readonly key: number;
  readonly number: number;
  readonly session: number;
  /** From 0, within its session. */
  readonly turn: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export interface CalendarAsked {
  readonly seed: number;
  readonly rows: number;
  readonly days: number;
  readonly nowMs: number;
}

/** Oldest first. */
export function draftRequests(keys: readonly DemoKey[], asked: CalendarAsked): readonly Draft[] {
  const { seed, rows, days, nowMs } = asked;
  const random = new Random(seed, -1);
  const firstMs = Math.floor(nowMs / dayMs) * dayMs - (days - 1) * dayMs;
  const dayWeights = (rhythm: Rhythm) =>
    cumulative(
      Array.from({ length: days }, (_, day) => weightOfDay(firstMs + day * dayMs, day / days, rhythm)),
    );
  const byDay = { office: dayWeights('office'), always: dayWeights('always'), night: dayWeights('night') };
  const byKey = cumulative(keys.map(({ weight }) => weight));
  const drafts: Draft[] = [];
  for (let session = 1; drafts.length < rows; session += 1) {
    const key = draw(byKey, random);
    const { rhythm, habit, begins = 0, ends = 1 } = keys[key] ?? { rhythm: 'office', habit: 'chat' };
    const day = draw(byDay[rhythm], random);
    if (day / days < begins || day / days > ends) continue;
    let atMs = firstMs + day * dayMs + (draw(byHour[rhythm], random) + random.next()) * hourMs;
    const turns = habit === 'agent' ? 1 + random.below(14) : habit === 'chat' ? 1 + random.below(3) : 1;
    for (let turn = 0; turn < turns && drafts.length < rows; turn += 1) {
      if (atMs >= nowMs - 1000) break;
      drafts.push({ atMs: Math.floor(atMs), key, number: drafts.length, session, turn });
      atMs += 4_000 + 90_000 * random.next() ** 2;
    }
  }
  return drafts.sort((one, other) => one.atMs - other.atMs || one.number - other.number);
}

function weightOfDay(atMs: number, share: number, rhythm: Rhythm): number {
  const weekday = new Date(atMs).getUTCDay();
  const isWeekend = weekday === 0 || weekday === 6;
  const growth = 0.2 + 0.8 * share ** 1.4;
  const rest = rhythm === 'always' ? 0.6 : rhythm === 'office' ? 0.06 : 0.9;
  // Some days have more of it, which looks less drawn with a ruler.
  const wave = 1 + 0.12 * Math.sin(share * 97) + 0.08 * Math.sin(share * 211);
  return growth * (isWeekend ? rest : 1) * wave;
}

const hours = Array.from({ length: 24 }, (_, hour) => hour);
const byHour: Record<Rhythm, readonly number[]> = {
  // Two humps with a lunch between them.
  office: cumulative(
    hours.map((hour) => (hour < 6 || hour > 19 ? 0.03 : hour === 11 || hour === 12 ? 0.7 : 1)),
  ),
  always: cumulative(hours.map((hour) => 0.25 + Math.max(0, Math.sin(((hour - 5) / 17) * Math.PI)))),
  night: cumulative(hours.map((hour) => (hour >= 1 && hour <= 4 ? 1 : 0.02))),
};

function cumulative(weights: readonly number[]): readonly number[] {
  let sum = 0;
  return weights.map((weight) => {
    sum += weight;
    return sum;
  });
}

/** A place, by its weight. */
function draw(sums: readonly number[], random: Random): number {
  const wanted = random.next() * (sums.at(-1) ?? 0);
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
