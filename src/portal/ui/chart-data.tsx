/** What a chart is drawn from, and the same in words: its legend and its table. */
import { Swatch } from './chart-parts.tsx';
import { useSpeech } from './speech.tsx';

export interface ChartSeries {
  readonly name: string;
  /** One for each column; null where nothing was measured, which is not zero. */
  readonly values: readonly (number | null)[];
  /** What it comes to, where that is not the sum of its values: a median, for instance. */
  readonly total?: string;
}

export interface ChartColumn {
  /** In full, for the tooltip and the table: `Wed 11 Nov`. */
  readonly title: string;
  /** Below the axis; short, and drawn where there is room. */
  readonly label: string;
  /** Not over yet, as today: drawn lighter. */
  readonly isPartial?: boolean;
}

export interface ChartProps {
  /** `columns` are stacked, the first series nearest the axis; `lines` are compared. */
  readonly kind: 'columns' | 'lines';
  /** What it shows, with the figure that matters: for who does not see it. */
  readonly label: string;
  /** What a column stands for: `Day`. Head of the table's first column. */
  readonly columnName: string;
  /** At most six; the rest belongs together in the last one. */
  readonly series: readonly ChartSeries[];
  readonly columns: readonly ChartColumn[];
  readonly write: (value: number) => string;
  /** The marks of the axis, which are alike in their digits. */
  readonly writeAxis: (steps: readonly number[]) => readonly string[];
  /** False where one series needs no name, since what it comes to stands above. */
  readonly hasLegend?: boolean;
}

/** In the order of the picture: what is on top first. */
export function Legend({ series, write, kind }: Pick<ChartProps, 'series' | 'write' | 'kind'>) {
  const rows = series.map(({ name, values, total }, number) => ({
    name,
    number,
    total:
      total ??
      (kind === 'columns' ? write(values.reduce<number>((sum, value) => sum + (value ?? 0), 0)) : ''),
  }));
  return (
    <ul class="chart-legend">
      {rows.toReversed().map(({ name, number, total }) => (
        <li>
          <Swatch number={number + 1} kind={kind} />
          <span title={name}>{name}</span>
          <span class="number">{total}</span>
        </li>
      ))}
    </ul>
  );
}

/** The tooltip is read from it too, so that both always say the same. */
export function DataTable({ series, columns, columnName, write, kind }: ChartProps) {
  const { chart } = useSpeech().common;
  const hasTotal = kind === 'columns' && series.length > 1;
  return (
    // Takes the focus, so that a keyboard can scroll it.
    <section class="chart-data" tabindex={0} aria-label={chart.asTable}>
      <table>
        <thead>
          <tr>
            <th scope="col">{columnName}</th>
            {series.map(({ name }) => (
              <th scope="col">{name}</th>
            ))}
            {hasTotal ? <th scope="col">{chart.total}</th> : null}
          </tr>
        </thead>
        <tbody>
          {columns.map(({ title, isPartial = false }, index) => (
            <tr>
              <th scope="row">{isPartial ? `${title}, ${chart.partial}` : title}</th>
              {series.map(({ values }) => (
                <td>{values[index] == null ? '–' : write(values[index])}</td>
              ))}
              {hasTotal ? <td>{write(sumAt(series, index))}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export const sumAt = (series: readonly ChartSeries[], index: number): number =>
  series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
