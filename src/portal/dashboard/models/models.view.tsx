/** The list of models, drawn: filters, the comparison, the table. */
import type { Model } from '../../../catalogue/index.ts';
import type { ApiKey } from '../../../identity/index.ts';
import { catalogueWords } from '../../languages/catalogue/index.ts';
import { modelsWords } from '../../languages/models/index.ts';
import { CompareButton, ComparedModels } from '../../model-list/list-parts.tsx';
import { Filter } from '../../ui/menu.tsx';
import { useSpeech, useWords } from '../../ui/speech.tsx';
import { Search, Toolbar, withQuery } from '../../ui/table.tsx';
import { Pagination } from '../../ui/way.tsx';
import { addressOfOwnModel } from './address.ts';
import { type Choice, choiceFields, contextSteps, priceSteps } from './model-choice.ts';
import type { HealthByName } from './model-health.ts';
import { ModelTable, useHealthWriting } from './model-table.view.tsx';

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
  const shown = chosen.slice((page - 1) * pageSize, page * pageSize);
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        <p class="quiet small">{words.shown(chosen.length, total)}</p>
      </div>
      <Compared {...{ here, compared, health }} />
      <Tools {...props} shown={shown} />
      <ModelTable {...{ here, compared, health }} rows={shown} />
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

function Compared({ here, compared, health }: Pick<ModelListProps, 'here' | 'compared' | 'health'>) {
  const words = useWords(modelsWords);
  const write = useHealthWriting();
  const measuresOf = (models: readonly Model[]) => {
    const measured = models.map(({ publicId }) => health.get(publicId));
    return [
      { name: words.firstToken, cells: measured.map(write.firstToken) },
      { name: words.speed, cells: measured.map(write.speed) },
      { name: words.answered, cells: measured.map(write.answered) },
    ];
  };
  return (
    <ComparedModels {...{ here, compared }} addressOf={addressOfOwnModel} more={measuresOf} class="first" />
  );
}

interface ToolsProps extends ModelListProps {
  readonly shown: readonly Model[];
}

function Tools({ choice, providers, keys, here, chosen, compared, shown }: ToolsProps) {
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
    <Toolbar search={<Search name="q" label={words.search} value={choice.search} keeps={kept} />}>
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
            keys.map(({ id, name }) => ({ value: String(id), label: name })),
            choice.key === null ? null : String(choice.key.id),
          )}
      <span class="grow" />
      <CompareButton
        {...{ shown, compared }}
        chosen={chosen.length}
        keeps={choice.search === '' ? kept : { ...kept, q: choice.search }}
      />
    </Toolbar>
  );
}
