/** Who is known not to work, where two processes tell each other of it. */
import { expect, test } from 'bun:test';
import { AppError } from '../base/errors.ts';
import { ManualClock } from '../base/testing/manual-clock.ts';
import { Health } from './health.ts';
import { servedBy } from './testing/candidates.ts';

const failure = {
  blamed: 'provider',
  toldMs: null,
  isSilent: true,
  error: new AppError({ code: 'upstream_timeout', public: 'It was silent.' }),
} as const;

/** Two that hear of each other at once, and a candidate that they both have. */
function processes() {
  const clock = new ManualClock();
  const [candidate] = servedBy([{ name: 'a' }]).candidates;
  if (candidate === undefined) throw new Error('there is one');
  const openings: number[] = [];
  const parts = { clock, random: () => 0.5 };
  const one: Health = new Health({ ...parts, onChange: (name, state) => tell(other, name, state) });
  const other: Health = new Health({ ...parts, onChange: (name, state) => tell(one, name, state) });
  function tell(to: Health, ...[name, state]: Parameters<Health['learn']>): void {
    openings.push(state.openings);
    to.learn(name, state);
  }
  return { clock, candidate, one, other, openings };
}

test('probes of two processes that both fail open a circuit once more and not twice', async () => {
  const { clock, candidate, one, other, openings } = processes();
  for (let silences = 0; silences < 2; silences += 1) one.failed(candidate, failure, clock.nowMs());
  expect(other.troubleOf(candidate)).toMatchObject({ condition: 'open', isHopeless: true });
  await clock.advance(2_000);
  expect(one.probe(candidate).names).toHaveLength(1);
  expect(other.probe(candidate).names).toHaveLength(1);
  const askedAtMs = clock.nowMs();
  await clock.advance(500);
  one.failed(candidate, failure, askedAtMs);
  await clock.advance(100);
  other.failed(candidate, failure, askedAtMs);
  expect(openings).toEqual([1, 2]);
  // From when the first one failed.
  await clock.advance(4_000 - 100);
  expect(other.troubleOf(candidate)).toMatchObject({ condition: 'due' });
});

test('the first of two probes that shows content closes the circuit for both processes', async () => {
  const { clock, candidate, one, other } = processes();
  for (let silences = 0; silences < 2; silences += 1) one.failed(candidate, failure, clock.nowMs());
  await clock.advance(2_000);
  one.probe(candidate);
  other.probe(candidate);
  other.answered(candidate, clock.nowMs());
  expect([one, other].map((each) => each.troubleOf(candidate)?.condition)).toEqual([
    'recovering',
    'recovering',
  ]);
});

test('requests that were under way and refused alike open a circuit once, until the latest time that one names', async () => {
  const clock = new ManualClock();
  const [candidate] = servedBy([{ name: 'a' }]).candidates;
  if (candidate === undefined) throw new Error('there is one');
  const openings: number[] = [];
  const health = new Health({
    clock,
    random: () => 0.5,
    onChange: (_name, state) => openings.push(state.openings),
  });
  const { isSilent: _, ...told } = failure;
  const plain = { ...told, blamed: 'deployment' } as const;
  const askedAtMs = clock.nowMs();
  for (let refusals = 0; refusals < 20; refusals += 1) {
    await clock.advance(10);
    health.failed(candidate, { ...plain, toldMs: 1000 }, askedAtMs);
  }
  expect(new Set(openings)).toEqual(new Set([1]));
  await clock.advance(999);
  expect(health.troubleOf(candidate)).toMatchObject({ condition: 'open' });
  await clock.advance(1);
  // The first request afterwards fails too: twice as long as the first time, and no more.
  health.probe(candidate);
  health.failed(candidate, { ...plain, toldMs: null }, clock.nowMs());
  await clock.advance(3999);
  expect(health.troubleOf(candidate)).toMatchObject({ condition: 'open' });
  await clock.advance(1);
  expect(health.troubleOf(candidate)).toMatchObject({ condition: 'due' });
});

test('a refusal of what was asked before it opened ends no probe, whose answer counts', async () => {
  const clock = new ManualClock();
  const [candidate] = servedBy([{ name: 'a' }]).candidates;
  if (candidate === undefined) throw new Error('there is one');
  const health = new Health({ clock, random: () => 0.5 });
  const { isSilent: _, ...told } = failure;
  const refused = { ...told, blamed: 'deployment', toldMs: 1000 } as const;
  const oldMs = clock.nowMs();
  await clock.advance(10);
  health.failed(candidate, refused, oldMs);
  await clock.advance(1000);
  health.probe(candidate);
  const probedMs = clock.nowMs();
  await clock.advance(10);
  health.failed(candidate, refused, oldMs);
  health.answered(candidate, probedMs);
  expect(health.troubleOf(candidate)?.condition).toBe('recovering');
});

test('who has left the catalogue while it was kept out is forgotten a day later', async () => {
  const clock = new ManualClock();
  const [candidate] = servedBy([{ name: 'a' }]).candidates;
  if (candidate === undefined) throw new Error('there is one');
  const health = new Health({ clock, random: () => 0.5 });
  health.failed(candidate, { ...failure, blamed: 'credential', toldMs: 60_000 }, clock.nowMs());
  await clock.advance(86_400_000);
  expect([...health.circuits()]).toHaveLength(1);
  await clock.advance(60_001);
  expect([...health.circuits()]).toHaveLength(0);
  expect(health.isAllSound).toBe(true);
});

test('a date that is put back an hour keeps nobody out for longer', async () => {
  const clock = new ManualClock();
  let aheadMs = 3_600_000;
  const health = new Health({
    clock: { ...clock, nowMs: () => clock.nowMs() + aheadMs },
    random: () => 0.5,
  });
  const [candidate] = servedBy([{ name: 'a' }]).candidates;
  if (candidate === undefined) throw new Error('there is one');
  health.failed(candidate, { ...failure, toldMs: 2000 }, health.nowMs);
  aheadMs = 0;
  expect(health.troubleOf(candidate)).toMatchObject({ condition: 'open' });
  await clock.advance(2000);
  expect(health.troubleOf(candidate)).toMatchObject({ condition: 'due' });
  health.probe(candidate);
  health.answered(candidate, health.nowMs);
  await clock.advance(10_000);
  expect(health.troubleOf(candidate)).toBeNull();
});
