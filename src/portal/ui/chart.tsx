/** Charts of columns and of lines: drawn by the server, with an honest zero, and with the same data as a table. */
import { type ChartProps, DataTable, Legend, sumAt } from './chart-data.tsx';
import { axisSteps, percent, round } from './chart-parts.tsx';
import { Icon } from './icon.tsx';
import { useSpeech } from './speech.tsx';

const plotHeight = 216;
const topSpace = 12;
const labelSpace = 24;

export function Chart(props: ChartProps) {
  const { series, columns, label, kind, write, writeAxis, hasLegend = true } = props;
  const { common } = useSpeech();
  const steps = axisSteps(highest(props));
  const marks = writeAxis(steps);
  // A figure of 12 pixels is some 7 wide.
  const axisWidth = Math.max(...marks.map(({ length }) => length)) * 7 + 10;
  return (
    <figure class="chart" data-chart>
      <div class="chart-plot">
        <svg width={axisWidth} height={topSpace + plotHeight + labelSpace} aria-hidden="true">
          {steps.map((value, index) => (
            <text x={axisWidth - 8} y={heightOf(value, steps) + 4} text-anchor="end">
              {marks[index]}
            </text>
          ))}
        </svg>
        <svg
          class="chart-drawing"
          width="100%"
          height={topSpace + plotHeight + labelSpace}
          role="img"
          aria-label={label}
        >
          {steps.map((value) => (
            <line
              class={value === 0 ? 'zero' : 'rule'}
              x1="0"
              x2="100%"
              y1={heightOf(value, steps)}
              y2={heightOf(value, steps)}
            />
          ))}
          {kind === 'columns' ? <Columns {...props} steps={steps} /> : <Lines {...props} steps={steps} />}
          <ColumnLabels columns={columns} kind={kind} />
        </svg>
      </div>
      {hasLegend ? <Legend series={series} write={write} kind={kind} /> : null}
      <details class="chart-twin">
        <summary class="quiet small">
          <Icon name="table-2" size={14} />
          {common.chart.asTable}
        </summary>
        <DataTable {...props} />
      </details>
    </figure>
  );
}

type Drawn = ChartProps & { readonly steps: readonly number[] };

function Columns({ series, columns, steps }: Drawn) {
  const width = 100 / Math.max(1, columns.length);
  const gap = Math.min(0.6, width * 0.16);
  return (
    <>
      {columns.map((column, index) => {
        const segments = stack(series.map(({ values }) => values[index] ?? 0));
        return (
          <g class={column.isPartial === true ? 'chart-column partial' : 'chart-column'} data-column={index}>
            <rect
              class="touch"
              x={percent(width * index)}
              y={topSpace}
              width={percent(width)}
              height={plotHeight}
            />
            {segments.map(({ from, to }, number) => {
              const top = heightOf(to, steps);
              // One pixel stays free between two segments.
              const height = Math.max(0, heightOf(from, steps) - top - (from === 0 ? 0 : 1));
              return (
                <rect
                  class={`fill-${number + 1}`}
                  x={percent(width * index + gap)}
                  y={round(top)}
                  width={percent(width - 2 * gap)}
                  height={round(height)}
                />
              );
            })}
          </g>
        );
      })}
    </>
  );
}

/** The paths are drawn in hundredths of the width, and the browser stretches them; their strokes are not. */
function Lines({ series, columns, steps }: Drawn) {
  const width = 100 / Math.max(1, columns.length);
  const middle = (index: number) => width * (index + 0.5);
  return (
    <>
      <svg
        x="0"
        y="0"
        width="100%"
        height={topSpace + plotHeight}
        viewBox={`0 0 100 ${topSpace + plotHeight}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {series.map(({ values }, number) => (
          <path
            class={`line-${number + 1}`}
            d={values
              .map((value, index) => {
                if (value === null) return '';
                const begins = (values[index - 1] ?? null) === null;
                return `${begins ? 'M' : 'L'}${round(middle(index))} ${round(heightOf(value, steps))}`;
              })
              .join('')}
          />
        ))}
      </svg>
      {columns.map((_, index) => (
        <g class="chart-column" data-column={index}>
          <rect
            class="touch"
            x={percent(width * index)}
            y={topSpace}
            width={percent(width)}
            height={plotHeight}
          />
          {series.map(({ values }, number) => {
            const value = values[index] ?? null;
            if (value === null) return null;
            // No line leads to it or from it.
            const isAlone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
            return (
              <circle
                class={`fill-${number + 1}${isAlone ? ' alone' : ''}`}
                cx={percent(middle(index))}
                cy={round(heightOf(value, steps))}
                r="3"
              />
            );
          })}
        </g>
      ))}
    </>
  );
}

const mostLabels = 7;

function ColumnLabels({ columns, kind }: Pick<ChartProps, 'columns' | 'kind'>) {
  const every = Math.ceil(columns.length / mostLabels);
  const width = 100 / Math.max(1, columns.length);
  return (
    <>
      {columns.map(({ label }, index) => {
        if (index % every !== 0) return null;
        const begin = width * (index + (kind === 'lines' ? 0.5 : 0.1));
        return (
          <text
            class={(index / every) % 2 === 1 ? 'every-second' : undefined}
            {...placeOfLabel(begin, width * (index + 0.5))}
            y={topSpace + plotHeight + 18}
          >
            {label}
          </text>
        );
      })}
    </>
  );
}

/** What begins near the right edge would be cut off there: it stands around the middle of its column, or ends at the edge. */
function placeOfLabel(begin: number, middle: number) {
  if (middle > 92) return { x: '100%', 'text-anchor': 'end' } as const;
  if (middle > 80) return { x: percent(middle), 'text-anchor': 'middle' } as const;
  return { x: percent(begin), 'text-anchor': 'start' } as const;
}

function highest({ series, columns, kind }: ChartProps): number {
  if (kind === 'columns') return Math.max(0, ...columns.map((_, index) => sumAt(series, index)));
  return Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
}

function heightOf(value: number, steps: readonly number[]): number {
  return topSpace + plotHeight * (1 - value / (steps.at(-1) ?? 1));
}

function stack(values: readonly number[]): readonly { readonly from: number; readonly to: number }[] {
  let sum = 0;
  return values.map((value) => {
    const from = sum;
    sum += value;
    return { from, to: sum };
  });
}
