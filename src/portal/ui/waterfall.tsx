/** The waterfall: how a request ran, attempt by attempt. */
import { axisSteps, percent } from './chart-parts.tsx';
import { useSpeech } from './speech.tsx';

type StageKind = 'gate' | 'fail' | 'wait' | 'stream';

export interface Stage {
  readonly name: string;
  readonly detail?: string;
  readonly parts: readonly { readonly kind: StageKind; readonly fromMs: number; readonly toMs: number }[];
  /** Beside the last part. */
  readonly note?: string;
  readonly isFailed?: boolean;
}

interface WaterfallProps {
  /** What it shows, in words: for who does not see it. */
  readonly label: string;
  readonly totalMs: number;
  readonly stages: readonly Stage[];
  /** What each kind of part is called; only those that are there are explained. */
  readonly kinds: Readonly<Record<StageKind, string>>;
}

/** A request from gateway to settlement: each attempt, what it waited for, and what it gave. */
export function Waterfall({ label, totalMs, stages, kinds }: WaterfallProps) {
  const { figures } = useSpeech();
  const most = Math.max(totalMs, 1);
  const steps = axisSteps(most).filter((at) => at <= most * 1.0001);
  const marks = figures.spanMarks(steps);
  const used = new Set(stages.flatMap(({ parts }) => parts.map(({ kind }) => kind)));
  return (
    <figure class="waterfall">
      <figcaption class="hidden">{label}</figcaption>
      <Hatches />
      <div class="waterfall-row waterfall-axis" aria-hidden="true">
        <span />
        <svg width="100%" height="18" aria-hidden="true">
          {steps.map((at, index) => (
            <text
              class={index % 2 === 1 ? 'every-second' : undefined}
              x={percent(100 * (at / most))}
              y="13"
              text-anchor={at === 0 ? 'start' : at > most * 0.94 ? 'end' : 'middle'}
            >
              {marks[index]}
            </text>
          ))}
        </svg>
        <span />
      </div>
      <ol>
        {stages.map((stage) => (
          <li class="waterfall-row">
            <div>
              {stage.name}
              {stage.detail === undefined ? null : <small>{stage.detail}</small>}
            </div>
            <StageTrack stage={stage} most={most} steps={steps} />
            <div class="end number">{figures.span(lengthOf(stage))}</div>
          </li>
        ))}
      </ol>
      <ul class="waterfall-key" aria-hidden="true">
        {(['gate', 'fail', 'wait', 'stream'] as const)
          .filter((kind) => used.has(kind))
          .map((kind) => (
            <li>
              <svg width="14" height="10" aria-hidden="true">
                <rect {...lookOf(kind)} width="14" height="10" rx="2" />
              </svg>
              {kinds[kind]}
            </li>
          ))}
      </ul>
    </figure>
  );
}

interface TrackProps {
  readonly stage: Stage;
  readonly most: number;
  readonly steps: readonly number[];
}

/** So little is still seen. */
const leastShare = 0.006;

function StageTrack({ stage, most, steps }: TrackProps) {
  const end = Math.max(...stage.parts.map(({ toMs }) => toMs)) / most;
  const widest = stage.parts.at(-1);
  const isInside = widest !== undefined && (widest.toMs - widest.fromMs) / most > 0.4;
  return (
    <svg width="100%" height="36" aria-hidden="true">
      {steps.map((at) => (
        <line x1={percent(100 * (at / most))} x2={percent(100 * (at / most))} y1="0" y2="36" />
      ))}
      {stage.parts.map(({ kind, fromMs, toMs }) => (
        <rect
          {...lookOf(kind)}
          x={percent(100 * Math.min(fromMs / most, 1 - leastShare))}
          width={percent(100 * Math.max(leastShare, (toMs - fromMs) / most))}
          y="11"
          height="14"
          rx="2"
        />
      ))}
      {stage.note === undefined ? null : (
        <text
          class={
            isInside
              ? isHatched(widest.kind)
                ? 'over'
                : 'inside'
              : stage.isFailed === true
                ? 'failed'
                : undefined
          }
          x={percent(100 * (isInside ? widest.fromMs / most : end))}
          dx={isInside || end < 0.7 ? 8 : -8}
          text-anchor={isInside || end < 0.7 ? 'start' : 'end'}
          y="22"
        >
          {stage.note}
        </text>
      )}
    </svg>
  );
}

/** Failed and waiting parts are hatched, so that they differ without their colours. */
function Hatches() {
  return (
    <svg width="0" height="0" aria-hidden="true" class="hatches">
      <defs>
        {(['fail', 'wait'] as const).map((kind) => (
          <pattern
            id={`hatch-${kind}`}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect class={`hatch-${kind}`} width="2" height="5" />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

const isHatched = (kind: StageKind): boolean => kind === 'fail' || kind === 'wait';

/** The hatches are named by an attribute, because a style sheet would look for them in itself. */
const lookOf = (kind: StageKind) => ({
  class: `stage-${kind}`,
  ...(isHatched(kind) ? { fill: `url(#hatch-${kind})` } : {}),
});

const lengthOf = ({ parts }: Stage): number =>
  Math.max(...parts.map(({ toMs }) => toMs)) - Math.min(...parts.map(({ fromMs }) => fromMs));
