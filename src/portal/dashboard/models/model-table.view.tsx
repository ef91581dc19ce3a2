/** The models as a table, and how what was measured of them is written. */
import type { Model } from '../../../catalogue/index.ts';
import { catalogueWords } from '../../languages/catalogue/index.ts';
import { modelsWords } from '../../languages/models/index.ts';
import { abilitiesOf } from '../../public/choose-models.ts';
import { mainPrice, outputPrice } from '../../public/prices.ts';
import { Empty } from '../../ui/callout.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { State } from '../../ui/state.tsx';
import { sortBy, Table, TwoLines } from '../../ui/table.tsx';
import { addressOfOwnModel } from './address.ts';
import type { Health, HealthByName } from './model-health.ts';

/** The form that a tick belongs to. */
export const compareForm = 'compare-models';
/** Below it a model wants a look. */
const wellAnswered = 0.98;

export function useHealthWriting() {
  const { figures } = useSpeech();
  const none = <span class="quiet">–</span>;
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
  const writing = { words: catalogue, figures };
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
      empty={
        <Empty
          icon="search"
          title={catalogue.none}
          action={
            <a class="link" href="/dashboard/models">
              {catalogue.showAll}
            </a>
          }
        />
      }
      columns={[
        {
          key: 'compare',
          label: catalogue.compareColumn,
          leaves: 'next',
          cell: ({ publicId }) => (
            <input
              type="checkbox"
              name="compare"
              value={publicId}
              form={compareForm}
              aria-label={catalogue.compareThis(publicId)}
              checked={compared.some((each) => each.publicId === publicId)}
            />
          ),
        },
        {
          key: 'model',
          label: catalogue.model,
          phone: 'name',
          ...sorted('model', 'ascending'),
          cell: ({ publicId, ownedBy }) => (
            <span class="model-name">
              <TwoLines name={<a href={addressOfOwnModel(publicId)}>{publicId}</a>} detail={ownedBy} />
            </span>
          ),
        },
        { key: 'does', label: words.does, leaves: 'first', cell: (model) => <Abilities model={model} /> },
        {
          key: 'context',
          label: catalogue.context,
          isNumber: true,
          leaves: 'next',
          ...sorted('context', 'descending'),
          cell: ({ contextWindow }) => (contextWindow === null ? null : figures.count(contextWindow)),
        },
        {
          key: 'limit',
          label: words.outputLimit,
          isNumber: true,
          leaves: 'first',
          cell: ({ maxOutputTokens }) => (maxOutputTokens === null ? null : figures.count(maxOutputTokens)),
        },
        {
          key: 'input',
          label: catalogue.input,
          isNumber: true,
          phone: 'value',
          ...sorted('input', 'ascending'),
          cell: (model) => <span class="model-price">{mainPrice(model, writing) ?? words.noPrice}</span>,
        },
        {
          key: 'output',
          label: catalogue.output,
          isNumber: true,
          phone: 'detail',
          ...sorted('output', 'ascending'),
          cell: (model) => outputPrice(model, writing),
        },
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
          cell: ({ publicId }) => write.answered(health.get(publicId)),
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
