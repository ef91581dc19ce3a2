/** Who spends most of what an admin looks at. */
import { homeWords } from '../languages/home/index.ts';
import { writeExactUsd } from '../ui/figures.ts';
import { wayTo } from '../ui/navigation.ts';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { Table } from '../ui/table.tsx';
import type { LogDays } from './home-facts.ts';

export interface Spender {
  readonly id: number;
  /** Null for somebody who is gone, or who left what is looked at. */
  readonly email: string | null;
  readonly requests: number;
  readonly costNanoUsd: bigint;
}

interface SpendersProps {
  readonly spenders: readonly Spender[];
  readonly wholeNanoUsd: bigint;
  readonly logDays: LogDays;
}

export function Spenders({ spenders, wholeNanoUsd, logDays }: SpendersProps) {
  const words = useWords(homeWords).spenders;
  const { figures } = useSpeech();
  if (spenders.length === 0) return null;
  const writePart = figures.partsOfUsd(wholeNanoUsd);
  return (
    <section class="section" aria-labelledby="spenders-title">
      <h2 id="spenders-title">{words.title}</h2>
      <Table
        caption={words.title}
        rows={spenders}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => wayTo('requests', { person: String(id), ...logDays })}
        empty={null}
        columns={[
          {
            key: 'person',
            label: words.person,
            phone: 'name',
            cell: ({ email }) => email ?? <span class="quiet">{words.gone}</span>,
          },
          {
            key: 'requests',
            label: words.requests,
            isNumber: true,
            phone: 'detail',
            cell: ({ requests }) => figures.count(requests),
          },
          {
            key: 'spend',
            label: words.spend,
            isNumber: true,
            phone: 'value',
            title: ({ costNanoUsd }) => writeExactUsd(costNanoUsd),
            cell: ({ costNanoUsd }) => writePart(costNanoUsd),
          },
          {
            key: 'share',
            label: words.share,
            isNumber: true,
            phone: 'state',
            cell: ({ costNanoUsd }) =>
              wholeNanoUsd === 0n ? null : figures.percent(Number(costNanoUsd) / Number(wholeNanoUsd)),
          },
        ]}
      />
    </section>
  );
}
