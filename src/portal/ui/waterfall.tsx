/** The waterfall: how a request ran, attempt by attempt. */
import { percent } from './chart-parts.tsx';
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
  const steps = [0, 0.2, 0.4, 0.6, 0.8, 1].map((share) => share * most);
  // The one before the last would stand too near to it, since the last says the unit of all.
  const marks = steps.filter((_, index) => index !== 4);
  const writeMark = (at: number) =>
    at === 0 ? '0' : most < 999.5 ? figures.decimal(at, most < 10 ? 1 : 0) : figures.decimal(at / 1000, 2);
  const used = new Set(stages.flatMap(({ parts }) => parts.map(({ kind }) => kind)));
  return (
    <figure class="waterfall">
      <figcaption class="hidden">{label}</figcaption>
      <Hatches />
      <div class="waterfall-row waterfall-axis" aria-hidden="true">
        <span />
        <svg width="100%" height="18" aria-hidden="true">
          {marks.map((at) => (
            <text
              class={at === 0 || at === most ? undefined : 'every-second'}
              x={percent(100 * (at / most))}
              y="13"
              text-anchor={at === 0 ? 'start' : at === most ? 'end' : 'middle'}
            >
              {at === most ? figures.span(at) : writeMark(at)}
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
