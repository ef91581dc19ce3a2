/** Charts with a script: a tooltip under the pointer or by the arrow keys, read from the table; T opens the table. */

for (const chart of document.querySelectorAll<HTMLElement>('[data-chart]')) livenChart(chart);

document.addEventListener('keydown', (event) => {
  if (event.key !== 't' || event.metaKey || event.ctrlKey || event.altKey) return;
  const { activeElement } = document;
  if (activeElement?.matches('input, select, textarea, [contenteditable]') === true) return;
  const chart = activeElement?.closest('[data-chart]') ?? document.querySelector('[data-chart]');
  const twin = chart?.querySelector('details');
  if (!twin) return;
  twin.open = !twin.open;
  twin.scrollIntoView({ block: 'nearest' });
});

function livenChart(chart: HTMLElement): void {
  const plot = chart.querySelector<HTMLElement>('.chart-plot');
  const table = chart.querySelector('table');
  if (plot === null || table === null) return;
  const columns = [...chart.querySelectorAll<SVGGElement>('[data-column]')];
  const swatches = [...chart.querySelectorAll('.chart-legend .swatch')].toReversed();
  const tip = document.createElement('div');
  tip.className = 'chart-tip';
  tip.setAttribute('role', 'status');
  let shown = -1;

  const hide = () => {
    columns[shown]?.classList.remove('shown');
    shown = -1;
    tip.remove();
  };
  const show = (index: number) => {
    const column = columns[index];
    if (column === undefined || index === shown) return;
    hide();
    shown = index;
    column.classList.add('shown');
    tip.replaceChildren(...describe(table, index, swatches));
    chart.append(tip);
    // Beside the column, on the side that has more room.
    const box = column.getBoundingClientRect();
    const frame = chart.getBoundingClientRect();
    const isLeft = box.left - frame.left > tip.offsetWidth + 12;
    const left = isLeft ? box.left - frame.left - tip.offsetWidth - 12 : box.right - frame.left + 12;
    tip.style.left = `${Math.max(0, Math.min(left, frame.width - tip.offsetWidth))}px`;
  };

  plot.tabIndex = 0;
  plot.setAttribute('role', 'group');
  plot.setAttribute('aria-label', chart.querySelector('[role=img]')?.getAttribute('aria-label') ?? '');
  plot.addEventListener('pointerover', ({ target }) => {
    const column = target instanceof Element ? target.closest<SVGGElement>('[data-column]') : null;
    if (column !== null) show(columns.indexOf(column));
  });
  // A finger that is lifted leaves as well: what it asked for stays until it taps elsewhere.
  plot.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'touch') hide();
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Node && !plot.contains(target)) hide();
  });
  plot.addEventListener('blur', hide);
  plot.addEventListener('keydown', (event) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (event.key === 'Escape') hide();
    if (by === 0) return;
    event.preventDefault();
    const from = shown === -1 && by < 0 ? columns.length : shown;
    show(Math.max(0, Math.min(columns.length - 1, from + by)));
  });
}

/** The row of the table as lines: what is on top of the picture first, the sum last. */
function describe(
  table: HTMLTableElement,
  index: number,
  swatches: readonly Element[],
): readonly HTMLElement[] {
  const [, ...names] = [...(table.tHead?.rows[0]?.cells ?? [])].map(({ textContent }) => textContent);
  const [title = '', ...values] = [...(table.tBodies[0]?.rows[index]?.cells ?? [])].map(
    ({ textContent }) => textContent,
  );
  const lines = values.map((value, number) => {
    const line = document.createElement('p');
    const swatch = swatches[number];
    line.append(
      ...(swatch === undefined ? [] : [swatch.cloneNode(true)]),
      spanOf(names[number]),
      spanOf(value),
    );
    line.classList.toggle('total', swatch === undefined);
    return line;
  });
  const heading = document.createElement('b');
  heading.textContent = title;
  const series = lines.slice(0, swatches.length).toReversed();
  return [heading, ...series, ...lines.slice(swatches.length)];
}

function spanOf(text = ''): HTMLElement {
  const span = document.createElement('span');
  span.textContent = text;
  return span;
}
