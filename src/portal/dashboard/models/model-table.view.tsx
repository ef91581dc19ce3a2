/** The models as a table, and how what was measured of them is written. */
import type { Model } from '../../../catalogue/index.ts';
import { catalogueWords } from '../../languages/catalogue/index.ts';
import { modelsWords } from '../../languages/models/index.ts';
import { abilitiesOf } from '../../model-list/choose-models.ts';
import { NoModel, useModelColumns } from '../../model-list/list-parts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { State } from '../../ui/state.tsx';
import { sortBy, Table } from '../../ui/table.tsx';
import { addressOfOwnModel } from './address.ts';
import type { Health, HealthByName } from './model-health.ts';

/** Below it a model wants a look. */
const wellAnswered = 0.98;

export function useHealthWriting() {
  const { figures } = useSpeech();
  const none = <span class="quiet none">–</span>;
  return {
    firstToken: (health?: Health) =>
      health?.firstTokenMs == null ? none : figures.span(health.firstTokenMs),
    speed: (health?: Health) =>
      health?.tokensPerSecond == null ? none : figures.decimal(health.tokensPerSecond, 0),
    answered: (health?: Health) => {
      if (health === undefined) return none;
      const share = figures.percent(health.answered);
      return health.answered < wellAnswered ? <State mood="warn">{share}</State> : share;
    },
  };
}

interface ModelTableProps {
  readonly rows: readonly Model[];
  readonly here: string;
  readonly compared: readonly Model[];
  readonly health: HealthByName;
}

export function ModelTable({ rows, here, compared, health }: ModelTableProps) {
  const words = useWords(modelsWords);
  const catalogue = useWords(catalogueWords);
  const { figures } = useSpeech();
  const columns = useModelColumns({ here, compared, addressOf: addressOfOwnModel });
  const write = useHealthWriting();
  const sorted = (key: string, begins: 'ascending' | 'descending') => ({
    sort: sortBy({ here, key, begins }),
  });
  return (
    <Table
      caption={words.title}
      rows={rows}
      keyOf={({ publicId }) => publicId}
      isSticky
      empty={<NoModel all="/dashboard/models" />}
      columns={[
        { ...columns.compare, leaves: 'next' },
        columns.model,
        { key: 'does', label: words.does, leaves: 'first', cell: (model) => <Abilities model={model} /> },
        columns.context,
        {
          key: 'limit',
          label: words.outputLimit,
          isNumber: true,
          leaves: 'first',
          cell: ({ maxOutputTokens }) => (maxOutputTokens === null ? null : figures.count(maxOutputTokens)),
        },
        columns.input,
        { ...columns.output, phone: 'detail' },
        {
          key: 'first',
          label: words.firstToken,
          isNumber: true,
          leaves: 'first',
          ...sorted('first', 'ascending'),
          cell: ({ publicId }) => write.firstToken(health.get(publicId)),
        },
        {
          key: 'speed',
          label: words.speed,
          isNumber: true,
          leaves: 'first',
          ...sorted('speed', 'descending'),
          cell: ({ publicId }) => write.speed(health.get(publicId)),
        },
        {
          key: 'answered',
          label: words.answered,
          isNumber: true,
          phone: 'state',
          ...sorted('answered', 'descending'),
          cell: ({ publicId }) => {
            const measured = health.get(publicId);
            return (
              <>
                {measured === undefined ? null : <span class="narrow-only">{words.answeredShort} </span>}
                {write.answered(measured)}
              </>
            );
          },
        },
        {
          key: 'providers',
          label: catalogue.providers,
          isNumber: true,
          leaves: 'first',
          title: ({ deployments }) => deployments.map(({ provider }) => provider.name).join(', '),
          cell: ({ deployments }) => figures.count(deployments.length),
        },
      ]}
    />
  );
}

const abilityIcons = { tools: 'wrench', vision: 'image', reasoning: 'brain', thinking: 'eye' } as const;

function Abilities({ model }: { readonly model: Model }) {
  const { capabilities } = useWords(catalogueWords);
  return (
    <span class="abilities">
      {abilitiesOf(model).map((each) => (
        <span title={capabilities[each]}>
          <Icon name={abilityIcons[each]} />
          <span class="hidden">{capabilities[each]}</span>
        </span>
      ))}
    </span>
  );
}
