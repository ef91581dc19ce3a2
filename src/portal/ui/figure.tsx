/** Figures: a value with its unit, how it changed, a second fact, and its course in small. */
import type { Child } from 'hono/jsx';
import { Icon } from './icon.tsx';
import { useSpeech } from './speech.tsx';

export interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  /** `than` says what it is compared with. */
  readonly change?: { readonly direction: 'up' | 'down'; readonly amount: string; readonly than?: string };
  /** A second fact. */
  readonly detail?: string;
  /** Its course, oldest first; null where nothing was measured. */
  readonly course?: readonly (number | null)[];
  /** The requests that it was made from. */
  readonly href?: string;
}

/** Beside each other, parted by hairlines; on a phone the first has the width, the others stand in pairs. */
export function Figures({ figures }: { readonly figures: readonly FigureProps[] }) {
  return (
    <dl class={`figures of-${Math.min(figures.length, 5)}`}>
      {figures.map((figure) => (
        <Figure {...figure} />
      ))}
    </dl>
  );
}

function Figure({ name, value, unit, change, detail, course, href }: FigureProps) {
  const { common } = useSpeech();
  const shown: Child = (
    <>
      {value}
      {unit === undefined ? null : <span class="unit">{unit}</span>}
    </>
  );
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="value">{href === undefined ? shown : <a href={href}>{shown}</a>}</dd>
      {change === undefined && detail === undefined ? null : (
        <dd class="detail">
          {change === undefined ? null : (
            <span class="change">
              <Icon name={change.direction === 'up' ? 'arrow-up' : 'arrow-down'} size={14} />
              <span class="hidden">{change.direction === 'up' ? common.change.up : common.change.down}</span>
              <b>{change.amount}</b>
              {change.than === undefined ? null : <span>{change.than}</span>}
            </span>
          )}
          {detail === undefined ? null : <span>{detail}</span>}
        </dd>
      )}
      {course === undefined ? null : (
        <dd class="course">
          <Sparkline course={course} />
        </dd>
      )}
    </div>
  );
}

/** Of a course that has one value. */
const shortest = 2;

/** From zero, as every chart here, over the times without a value. The figure above it says what it comes to. */
function Sparkline({ course }: { readonly course: readonly (number | null)[] }) {
  const most = Math.max(...course.map((value) => value ?? 0), Number.MIN_VALUE);
  const step = 100 / Math.max(1, course.length - 1);
  const points = course.flatMap((value, index) =>
    value === null ? [] : [{ x: round(index * step), y: round(29 - (value / most) * 28) }],
  );
  const [only] = points;
  if (only === undefined) return null;
  // One value has a width, too, since a line to itself is none.
  const begin = Math.min(only.x, 100 - shortest);
  const drawn = points.length > 1 ? points : [begin, begin + shortest].map((x) => ({ x, y: only.y }));
  const line = drawn.map(({ x, y }) => `${x} ${y}`).join('L');
  const [first, last] = [drawn.at(0)?.x ?? 0, drawn.at(-1)?.x ?? 0];
  return (
    <svg
      class="sparkline"
      viewBox="0 0 100 30"
      width="100%"
      height="28"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="area" d={`M${first} 30L${line}L${last} 30Z`} />
      <path class="line" d={`M${line}`} />
    </svg>
  );
}

const round = (number: number): number => Math.round(number * 10) / 10;
