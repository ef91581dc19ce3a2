/** Parts that the list of keys and a key by itself share: its state, what is left of a budget, its course. */
import type { KeyState } from '../../../identity/index.ts';
import type { budgetPeriods } from '../../../ledger/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { Progress } from '../../ui/callout.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { type Mood, State } from '../../ui/state.tsx';

const moods: Readonly<Record<KeyState, Mood>> = {
  active: 'good',
  expiring: 'warn',
  expired: 'bad',
  disabled: 'off',
  revoked: 'bad',
};

export function KeyStateWord({ state }: { readonly state: KeyState }) {
  const { states } = useWords(keysWords);
  return <State mood={moods[state]}>{states[state]}</State>;
}

/** Its shape alone, where the word would stand in every row; who hears the page is told the word. */
export function KeyMark({ state }: { readonly state: KeyState }) {
  const { states } = useWords(keysWords);
  return (
    <State mood={moods[state]} title={states[state]}>
      <span class="hidden">{states[state]}</span>
    </State>
  );
}

/** How a budget stands, as far as it is shown. */
export interface BudgetNow {
  readonly period: (typeof budgetPeriods)[number];
  readonly limitNanoUsd: bigint;
  readonly spentNanoUsd: bigint;
  readonly resetsAtMs: number | null;
}

const shareOf = ({ spentNanoUsd, limitNanoUsd }: BudgetNow): number =>
  limitNanoUsd === 0n ? 1 : Number((spentNanoUsd * 1000n) / limitNanoUsd) / 1000;

/** The one of which most is used. */
export const tightestOf = (budgets: readonly BudgetNow[]): BudgetNow | undefined =>
  budgets.toSorted((one, other) => shareOf(other) - shareOf(one))[0];

const nearlyUsed = 0.8;

export function BudgetLine({ budget }: { readonly budget: BudgetNow }) {
  const { budgetState: words, periods } = useWords(keysWords);
  const { figures } = useSpeech();
  const share = shareOf(budget);
  const amount = figures.price(budget.limitNanoUsd);
  const isUsed = share >= 1;
  const text = isUsed
    ? words.stopped(amount, periods[budget.period])
    : // A budget that has something left is not all used.
      words.used(figures.percent(Math.min(share, 0.99), 0), amount, periods[budget.period]);
  const mood = isUsed ? 'bad' : share >= nearlyUsed ? 'warn' : 'usual';
  return (
    <span class="budget-line">
      <small>{mood === 'usual' ? text : <State mood={mood}>{text}</State>}</small>
      <Progress share={share} label={text} mood={mood} />
    </span>
  );
}

/** A small picture of what something cost by the day; the figure beside it says what it comes to. */
export function Course({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(...values, Number.MIN_VALUE);
  const step = 100 / Math.max(1, values.length - 1);
  const line = values
    .map(
      (value, index) =>
        `${Math.round(index * step * 10) / 10} ${Math.round((21 - (value / most) * 19) * 10) / 10}`,
    )
    .join('L');
  return (
    <svg
      class="sparkline key-course"
      viewBox="0 0 100 22"
      width="80"
      height="22"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="line" d={`M${line}`} />
    </svg>
  );
}
