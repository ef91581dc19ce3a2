/** Pictures of one thing: how a balance falls, how many requests came, what a whole is made of. */
import type { Child } from 'hono/jsx';
import { percent, round, Swatch } from './chart-parts.tsx';
import { usdOf } from './figures.ts';
import { useSpeech } from './speech.tsx';

interface RunwayProps {
  /** Oldest first; a rise is drawn upright. */
  readonly points: readonly { readonly atMs: number; readonly nanoUsd: bigint }[];
  readonly nowMs: number;
  /** When it is empty at the present rate; null where it is not going down. */
  readonly emptyMs: number | null;
  /** Where it is topped up, and what to call that. */
  readonly threshold?: { readonly nanoUsd: bigint; readonly label: string };
}

/** A balance as a level that falls and is topped up, and the present rate drawn on to the day it is empty. */
export function Runway({ points, nowMs, emptyMs, threshold }: RunwayProps) {
  const { common, figures } = useSpeech();
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const endMs = Math.max(nowMs, emptyMs ?? nowMs);
  const most = Math.max(...points.map(({ nanoUsd }) => usdOf(nanoUsd)), 1e-9) * 1.1;
  const x = (atMs: number) => round((100 * (atMs - first.atMs)) / Math.max(1, endMs - first.atMs));
  const y = (nanoUsd: bigint) => round(100 * (1 - Math.max(0, usdOf(nanoUsd)) / most));
  const line = points.map(({ atMs, nanoUsd }) => `${x(atMs)} ${y(nanoUsd)}`).join('L');
  const now = `${x(nowMs)} ${y(last.nanoUsd)}`;
  return (
    <figure class="runway">
      <svg
        class="runway-picture"
        width="100%"
        height="116"
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={common.chart.level(figures.usd(last.nanoUsd))}
      >
        <path class="area" d={`M0 100L${line}L${now}V100Z`} />
        {threshold === undefined ? null : <path class="threshold" d={`M0 ${y(threshold.nanoUsd)}H100`} />}
        <path class="level-line" d={`M${line}L${now}`} />
        {emptyMs === null ? null : <path class="level-line ahead" d={`M${now}L${x(emptyMs)} 100`} />}
        <path class="ground" d="M0 100H100" />
        <path class="ground" d={`M${x(nowMs)} ${Math.max(0, y(last.nanoUsd) - 12)}V100`} />
      </svg>
      <figcaption class="small quiet number">
        <span>{figures.nearDay(new Date(first.atMs), nowMs)}</span>
        {threshold === undefined ? null : <span>{threshold.label}</span>}
        {emptyMs === null ? (
          <span>{common.chart.today}</span>
        ) : (
          <span>
            <b>{figures.nearDay(new Date(emptyMs), nowMs)}</b> {common.chart.empty}
          </span>
        )}
      </figcaption>
    </figure>
  );
}

interface HistogramProps {
  readonly label: string;
  /** Oldest first; what failed is a part of all. */
  readonly bars: readonly { readonly all: number; readonly failed: number }[];
  /** What stands below its beginning, its middle and its end. */
  readonly marks: readonly string[];
}

/** How many came, and how many of them failed. */
export function Histogram({ label, bars, marks }: HistogramProps) {
  const most = Math.max(1, ...bars.map(({ all }) => all));
  const width = 100 / Math.max(1, bars.length);
  return (
    <figure class="histogram">
      <svg width="100%" height="44" role="img" aria-label={label}>
        {bars.map(({ all, failed }, index) => {
          const at = { x: `${round(width * index)}%`, width: `${round(width * 0.82)}%` };
          const high = round((43 * all) / most);
          const bad = failed === 0 ? 0 : Math.max(2, round((43 * failed) / most));
          return (
            <>
              <rect class="all" {...at} y={43 - high} height={high} />
              {bad === 0 ? null : <rect class="failed" {...at} y={43 - bad} height={bad} />}
            </>
          );
        })}
        <line x1="0" x2="100%" y1="43.5" y2="43.5" />
      </svg>
      <figcaption class="small quiet number">
        {marks.map((mark) => (
          <span>{mark}</span>
        ))}
      </figcaption>
    </figure>
  );
}

interface SharesProps {
  readonly label: string;
  readonly parts: readonly { readonly name: string; readonly amount: number; readonly written: Child }[];
}

/** What a whole is made of, in one bar with its legend. */
export function Shares({ label, parts }: SharesProps) {
  const { figures } = useSpeech();
  const whole = parts.reduce((sum, { amount }) => sum + amount, 0);
  const befores = parts.map((_, index) => parts.slice(0, index).reduce((sum, { amount }) => sum + amount, 0));
  const share = (amount: number) => (whole === 0 ? 0 : amount / whole);
  return (
    <figure class="shares">
      <svg width="100%" height="16" role="img" aria-label={label}>
        {parts.map(({ amount }, index) => (
          <rect
            class={`fill-${index + 1}`}
            x={percent(100 * share(befores[index] ?? 0))}
            width={percent(100 * share(amount))}
            height="16"
          />
        ))}
      </svg>
      <ul>
        {parts.map(({ name, amount, written }, index) => (
          <li>
            <Swatch number={index + 1} />
            <span>{name}</span>
            <span class="number">{written}</span>
            <span class="number quiet">{figures.percent(share(amount))}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
