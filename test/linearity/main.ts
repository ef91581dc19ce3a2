/** `npm run linearity`: how the time of every conversion and endpoint grows while hostile input doubles, as one table. */
import { parseArgs } from 'node:util';
import { conversionCases } from './cases.ts';
import { measureEndpoints } from './endpoints.ts';
import { type Growth, measureGrowth } from './measure.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    doublings: { type: 'string', default: '3' },
    tries: { type: 'string', default: '3' },
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const options = { doublings: Number(values.doublings), tries: Number(values.tries) };
const isWanted = ({ group, shape }: { group: string; shape: string }) =>
  values.only === undefined || `${group}: ${shape}`.includes(values.only);
const growths: Growth[] = [];
const wanted = conversionCases.filter(isWanted);
let toldAtMs = performance.now();
for (const one of wanted) {
  const growth = measureGrowth(one, options);
  growths.push(growth);
  if (!growth.isBounded) process.stderr.write(`${writeGrowth(growth)}\n`);
  if (performance.now() - toldAtMs > 10_000) {
    toldAtMs = performance.now();
    process.stderr.write(`${growths.length} of ${wanted.length}\n`);
  }
}
growths.push(
  ...(await measureEndpoints({
    ...options,
    isWanted: (group, shape) => isWanted({ group, shape }),
    onMeasured(growth) {
      if (!growth.isBounded) process.stderr.write(`${writeGrowth(growth)}\n`);
    },
  })),
);
const grown = growths.filter(({ isBounded }) => !isBounded);
process.stdout.write(values.json ? `${JSON.stringify(growths, null, 2)}\n` : `${writeTable()}\n`);
process.exitCode = grown.length === 0 ? 0 : 1;

/** One line a group with its worst shape; with --all, one a shape. */
function writeTable(): string {
  const groups = Map.groupBy(growths, ({ group }) => group);
  const shown = values.all
    ? growths
    : [...groups.values()].map((shapes) =>
        shapes.reduce((one, other) => (other.exponent > one.exponent ? other : one)),
      );
  const width = Math.max(...shown.map(({ group }) => group.length), 0);
  return [
    ...shown.map((growth) => `${growth.group.padEnd(width)}  ${writeGrowth(growth, false)}`),
    `${growths.length} measured, ${grown.length} grow faster than they may`,
  ].join('\n');
}

function writeGrowth({ group, shape, sizes, timesMs, exponent, isBounded }: Growth, isNamed = true): string {
  const times = timesMs.map((ms, at) => `${sizes[at]}: ${ms.toFixed(1)}`).join('  ');
  const verdict = exponent === 0 ? 'negligible' : `n^${exponent.toFixed(2)}`;
  return `${isBounded ? '' : 'GROWS '}${isNamed ? `${group}: ` : ''}${verdict}  ${shape}  (ms by size: ${times})`;
}
