/** What pictures of data share: their colours, their axes, and how they say where something is. */

/** A colour of the charts as it is drawn there: a square of a column, the stroke of a line. */
export function Swatch({
  number,
  kind = 'columns',
}: {
  readonly number: number;
  readonly kind?: 'columns' | 'lines';
}) {
  return (
    <svg class="swatch" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      {kind === 'columns' ? (
        <rect class={`fill-${number}`} width="10" height="10" rx="2" />
      ) : (
        <path class={`line-${number}`} d="M0 5h10" />
      )}
    </svg>
  );
}

/** From zero in even steps of 1, 2, 2.5 or 5 and zeros, some four of them, up to the highest value or just above. */
export function axisSteps(most: number): readonly number[] {
  const rough = (most > 0 ? most : 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const count = Math.max(1, Math.ceil((most * 0.999) / step));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Two digits behind the point are finer than a pixel. */
export const round = (number: number): number => Math.round(number * 100) / 100;

export const percent = (number: number): string => `${round(number)}%`;
