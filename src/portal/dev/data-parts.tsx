/** Figures and tables: what data looks like. */
import { Progress } from '../ui/callout.tsx';
import { Figures } from '../ui/figure.tsx';
import { type Mood, State } from '../ui/state.tsx';
import { sortBy, Table, TwoLines, withQuery } from '../ui/table.tsx';
import { Steps } from '../ui/way.tsx';
import { Specimen, Specimens } from './specimen.tsx';

interface Request {
  readonly time: string;
  readonly status: number;
  readonly model: string;
  readonly provider: string;
  readonly cost: string;
}

const requests: readonly Request[] = [
  { time: '14:32:07', status: 200, model: 'claude-sonnet-4.5', provider: 'Bedrock', cost: '$0.0214' },
  { time: '14:32:05', status: 200, model: 'gemini-2.5-flash', provider: 'Vertex', cost: '$0.00110' },
  { time: '14:32:04', status: 429, model: 'gpt-5.1', provider: 'OpenAI', cost: '$0' },
  { time: '14:31:44', status: 502, model: 'qwen3-235b', provider: 'Together', cost: '$0' },
];
const course = [9, 10, 14, 13, 12, 15, 12, 8, 7, 12, 13, 13, 13, 14, 9, 9, 16, 14, 20, 16, 13, 9, 8, 15];

export function DataParts() {
  return (
    <>
      <Specimens title="Figures">
        <Figures
          figures={[
            {
              name: 'Spend',
              value: '$372.03',
              change: { direction: 'up', amount: '8.2%', than: 'on the 30 days before' },
              course,
              href: '/dev/ui',
            },
            { name: 'Requests', value: '412,806', change: { direction: 'up', amount: '11.4%' }, course },
            { name: 'Tokens', value: '1.92', unit: 'B', detail: '71% read from cache', course },
            {
              name: 'First token, median',
              value: '612',
              unit: 'ms',
              change: { direction: 'down', amount: '38 ms' },
              detail: 'p95 1.84 s',
              course,
            },
          ]}
        />
      </Specimens>
      <Specimens title="Tables">
        <Specimen name="That opens">
          <RequestTable />
          <Steps previous={null} next="/dev/ui?after=20" />
        </Specimen>
        <Specimen name="Two lines, meter">
          <BudgetTable />
        </Specimen>
      </Specimens>
    </>
  );
}

export function RequestTable() {
  const here = '/dev/ui?part=data&sort=-time';
  return (
    <Table
      caption="Requests"
      rows={requests}
      keyOf={({ time }) => time}
      hrefOf={({ time }) => withQuery(here, { row: time })}
      isSelected={({ model }) => model === 'gemini-2.5-flash'}
      empty={null}
      columns={[
        {
          key: 'time',
          label: 'Time',
          sort: sortBy({ here, key: 'time', begins: 'descending' }),
          cell: ({ time }) => <span class="quiet number">{time}</span>,
        },
        {
          key: 'status',
          label: 'Status',
          phone: 'state',
          cell: ({ status }) => <State mood={moodOf(status)}>{status}</State>,
        },
        { key: 'model', label: 'Model', phone: 'name', cell: ({ model }) => model },
        {
          key: 'provider',
          label: 'Provider',
          phone: 'detail',
          leaves: 'first',
          cell: ({ provider }) => provider,
        },
        {
          key: 'cost',
          label: 'Cost',
          isNumber: true,
          phone: 'value',
          sort: sortBy({ here, key: 'cost', begins: 'descending' }),
          cell: ({ cost }) => cost,
        },
      ]}
    />
  );
}

const moodOf = (status: number): Mood => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad');

function BudgetTable() {
  const keys = [
    { name: 'support-bot', token: 'sluice_…k9Lm', used: 0.92, words: '$184.10 of $200.00' },
    { name: 'prod-api', token: 'sluice_…7Qd2', used: 0.41, words: '$205.00 of $500.00' },
    { name: 'intern-sandbox', token: 'sluice_…R1oo', used: 1, words: '$25.00 of $25.00' },
  ];
  return (
    <Table
      caption="Keys"
      rows={keys}
      keyOf={({ name }) => name}
      empty={null}
      totals={{ name: 'All keys', used: '$414.10' }}
      columns={[
        {
          key: 'name',
          label: 'Name',
          phone: 'name',
          cell: ({ name, token }) => <TwoLines name={name} detail={<code>{token}</code>} />,
        },
        {
          key: 'used',
          label: 'This month',
          phone: 'value',
          cell: ({ used, words }) => (
            <>
              <span class="small">{words}</span>
              <Progress share={used} label={words} mood={used >= 1 ? 'bad' : used > 0.9 ? 'warn' : 'usual'} />
            </>
          ),
        },
      ]}
    />
  );
}
