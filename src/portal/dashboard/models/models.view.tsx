/** The list of models, drawn: filters, the comparison, the table. */
import type { Model } from '../../../catalogue/index.ts';
import type { ApiKey } from '../../../identity/index.ts';
import { catalogueWords } from '../../languages/catalogue/index.ts';
import { modelsWords } from '../../languages/models/index.ts';
import { abilitiesOf } from '../../public/choose-models.ts';
import { Comparison } from '../../public/compare.tsx';
import { mainPrice, outputPrice } from '../../public/prices.ts';
import { Button } from '../../ui/button.tsx';
import { Callout, Empty } from '../../ui/callout.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Filter } from '../../ui/menu.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { State } from '../../ui/state.tsx';
import { Search, sortBy, Table, Toolbar, TwoLines, withQuery } from '../../ui/table.tsx';
import { Pagination } from '../../ui/way.tsx';
import { addressOfOwnModel } from './address.ts';
import { type Choice, choiceFields, contextSteps, priceSteps } from './model-choice.ts';
import type { Health, HealthByName } from './model-health.ts';

const mostCompared = 4;
const compareForm = 'compare-models';
/** Below it a model wants a look. */
const wellAnswered = 0.98;

interface ModelListProps {
  readonly chosen: readonly Model[];
  /** Of all that may be used. */
  readonly total: number;
  readonly choice: Choice;
  readonly compared: readonly Model[];
  readonly health: HealthByName;
  readonly providers: readonly string[];
  readonly keys: readonly ApiKey[];
  readonly page: number;
  readonly pageSize: number;
  readonly here: string;
}

export function ModelList(props: ModelListProps) {
  const { chosen, total, compared, health, page, pageSize, here } = props;
  const words = useWords(modelsWords);
  const catalogue = useWords(catalogueWords);
  const first = (page - 1) * pageSize;
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        <p class="quiet small">{words.shown(chosen.length, total)}</p>
      </div>
      {compared.length < 2 ? null : (
        <section class="section first" aria-labelledby="compared">
          <div class="section-head">
            <h2 id="compared">{catalogue.compared}</h2>
            <a class="link small" href={withQuery(here, { compare: null })}>
              {catalogue.endComparison}
            </a>
          </div>
          {compared.length > mostCompared ? <Callout>{catalogue.onlyFour}</Callout> : null}
          <Compared models={compared.slice(0, mostCompared)} health={health} />
        </section>
      )}
      <Tools {...props} />
      <ModelTable {...props} rows={chosen.slice(first, first + pageSize)} />
      <Pagination
        page={page}
        pageSize={pageSize}
        total={chosen.length}
        hrefOf={(number) => withQuery(here, { page: String(number) })}
      />
      <p class="quiet small">{words.measured}</p>
    </>
  );
}

function Compared({ models, health }: { readonly models: readonly Model[]; readonly health: HealthByName }) {
  const words = useWords(modelsWords);
  const write = useHealthWriting();
  const measured = models.map(({ publicId }) => health.get(publicId));
  return (
    <Comparison
      models={models}
      addressOf={addressOfOwnModel}
      more={[
        { name: words.firstToken, cells: measured.map(write.firstToken) },
        { name: words.speed, cells: measured.map(write.speed) },
        { name: words.answered, cells: measured.map(write.answered) },
      ]}
    />
  );
}

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

function Tools({ choice, providers, keys, here, chosen }: ModelListProps) {
  const words = useWords(modelsWords);
  const catalogue = useWords(catalogueWords);
  const { figures } = useSpeech();
  const kept = Object.fromEntries(
    [...new URLSearchParams(here.split('?')[1] ?? '')].filter(
      ([name]) => name !== 'q' && name !== 'page' && name !== 'compare',
    ),
  );
  const filter = (
    id: 'type' | 'capability' | 'provider' | 'price' | 'context' | 'key',
    name: string,
    values: readonly { readonly value: string; readonly label: string }[],
    current: string | null,
  ) => (
    <Filter
      id={id}
      name={name}
      options={[{ value: null, label: catalogue.all }, ...values].map(({ value, label }) => ({
        href: withQuery(here, { page: null, [id]: value }),
        label,
        isCurrent: current === value,
      }))}
    />
  );
  const same = (value: string) => ({ value, label: value });
  return (
    <Toolbar>
      <Search name="q" label={words.search} value={choice.search} keeps={kept} />
      {filter(
        'type',
        catalogue.type,
        choiceFields.types.map((value) => ({ value, label: catalogue.types[value] })),
        choice.type,
      )}
      {filter(
        'capability',
        catalogue.capability,
        choiceFields.capabilities.map((value) => ({ value, label: catalogue.capabilities[value] })),
        choice.capability,
      )}
      {filter('provider', catalogue.provider, providers.map(same), choice.provider)}
      {filter(
        'context',
        catalogue.context,
        contextSteps.map((value) => ({ value, label: words.atLeast(figures.count(Number(value))) })),
        choice.context,
      )}
      {filter(
        'price',
        words.inputPrice,
        priceSteps.map((value) => ({
          value,
          label: words.atMost(figures.price(BigInt(Math.round(Number(value) * 1e9)))),
        })),
        choice.price,
      )}
      {keys.length === 0
        ? null
        : filter(
            'key',
            words.key,
            keys.slice(0, 50).map(({ id, name }) => ({ value: String(id), label: name })),
            choice.key === null ? null : String(choice.key.id),
          )}
      <span class="grow" />
      {chosen.length < 2 ? null : (
        <form method="get" id={compareForm} class="row">
          {Object.entries(choice.search === '' ? kept : { ...kept, q: choice.search }).map(
            ([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ),
          )}
          <Button size="small">{catalogue.compare}</Button>
        </form>
      )}
    </Toolbar>
  );
}

function ModelTable({ rows, here, compared, health }: ModelListProps & { readonly rows: readonly Model[] }) {
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
            <TwoLines name={<a href={addressOfOwnModel(publicId)}>{publicId}</a>} detail={ownedBy} />
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
          cell: (model) => mainPrice(model, writing) ?? words.noPrice,
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
