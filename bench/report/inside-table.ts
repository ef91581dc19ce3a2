/** The table of what goes on inside the contenders that run on Bun. */
import type { Contender } from '../contenders/contender.ts';
import { answerForms } from '../load/question.ts';
import type { InsideMeasurement } from '../run/inside.ts';
import { figure, table } from './format.ts';

const head = [
  '',
  'longest turn ms, whole answers',
  'longest turn ms, streams',
  'objects/whole answer',
  'objects/stream',
];

export function writeInsideTable(
  contenders: readonly Contender[],
  measurements: readonly InsideMeasurement[],
): string {
  const those = contenders.filter(({ name }) => measurements.some((one) => one.name === name));
  const rows = those.map(({ name, title }) => {
    const [whole, streamed] = answerForms.map((form) =>
      measurements.find((one) => one.name === name && one.form === form),
    );
    return [
      title,
      figure(whole?.longestTurnMs),
      figure(streamed?.longestTurnMs),
      figure(whole?.objectsPerRequest),
      figure(streamed?.objectsPerRequest),
    ];
  });
  return table(head, rows);
}
