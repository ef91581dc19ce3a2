/** What a list of models has wherever it stands: columns, the choice of some to compare, and those beside each other. */
import type { Child } from 'hono/jsx';
import type { Model } from '../../catalogue/index.ts';
import { catalogueWords } from '../languages/catalogue/index.ts';
import { modelsWords } from '../languages/models/index.ts';
import { Button } from '../ui/button.tsx';
import { Callout, Empty } from '../ui/callout.tsx';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { type Column, sortBy, TwoLines, withQuery } from '../ui/table.tsx';
import { Comparison, type ComparisonProps } from './compare.tsx';
import { type ListedPrice, mainPrice, outputPrice } from './prices.ts';

const mostCompared = 4;
/** The form that the tick of a row belongs to. */
const compareForm = 'compare-models';

export interface ListedModels {
  /** The address of the list, with all that it asks. */
  readonly here: string;
  readonly compared: readonly Model[];
  /** Where a model stands. */
  readonly addressOf: (publicId: string) => string;
}

/** Those that an address names, once each, of which the list knows. */
export function namedModels(names: readonly string[], models: readonly Model[]): readonly Model[] {
  return [...new Set(names)].flatMap((name) => models.find(({ publicId }) => publicId === name) ?? []);
}

export function useModelColumns({ here, compared, addressOf }: ListedModels) {
  const words = useWords(catalogueWords);
  const { figures } = useSpeech();
  const writing = { words, figures };
  return {
    compare: {
      key: 'compare',
      label: words.compareColumn,
      phone: 'action',
      cell: ({ publicId }) => (
        <label class="compare-tick">
          <input
            type="checkbox"
            name="compare"
            value={publicId}
            form={compareForm}
            aria-label={words.compareThis(publicId)}
            checked={compared.some((each) => each.publicId === publicId)}
          />
          <span aria-hidden="true">{words.compareTick}</span>
        </label>
      ),
    },
    model: {
      key: 'model',
      label: words.model,
      phone: 'name',
      sort: sortBy({ here, key: 'model', begins: 'ascending' }),
      cell: ({ publicId, ownedBy }) => (
        <span class="model-name">
          <TwoLines name={<a href={addressOf(publicId)}>{publicId}</a>} detail={ownedBy} />
        </span>
      ),
    },
    context: {
      key: 'context',
      label: words.context,
      isNumber: true,
      leaves: 'next',
      sort: sortBy({ here, key: 'context', begins: 'descending' }),
      cell: ({ contextWindow }) => (contextWindow === null ? null : figures.count(contextWindow)),
    },
    input: {
      key: 'input',
      label: words.input,
      isNumber: true,
      phone: 'value',
      sort: sortBy({ here, key: 'input', begins: 'ascending' }),
      cell: (model) => <Price price={mainPrice(model, writing)} />,
    },
    output: {
      key: 'output',
      label: words.output,
      isNumber: true,
      sort: sortBy({ here, key: 'output', begins: 'ascending' }),
      cell: (model) => outputPrice(model, writing),
    },
  } satisfies Record<string, Column<Model>>;
}

/** The unit stands below the amount, so that amounts keep to their edge. */
export function Price({ price }: { readonly price: ListedPrice | null }) {
  const words = useWords(modelsWords);
  if (price === null) return <>{words.noPrice}</>;
  if (price.unit === null) return <>{price.amount}</>;
  return (
    <span class="two-lines">
      <span>{price.amount}</span>
      <small>{price.unit}</small>
    </span>
  );
}

/** Instead of a list that nothing fits. */
export function NoModel({ all }: { readonly all: string }) {
  const words = useWords(catalogueWords);
  return (
    <Empty
      icon="search"
      title={words.none}
      action={
        <a class="link" href={all}>
          {words.showAll}
        </a>
      }
    />
  );
}

interface ComparedProps extends ListedModels {
  readonly class?: string;
  readonly more?: (models: readonly Model[]) => ComparisonProps['more'];
}

/** Beside each other where there are two of them; of one, that another is needed. */
export function ComparedModels({ here, compared, addressOf, more, class: of = '' }: ComparedProps): Child {
  const words = useWords(catalogueWords);
  if (compared.length === 0) return null;
  if (compared.length === 1) return <Callout>{words.compareFew}</Callout>;
  const models = compared.slice(0, mostCompared);
  return (
    <section class={`section ${of}`.trim()} aria-labelledby="compared">
      <div class="section-head">
        <h2 id="compared">{words.compared}</h2>
        <a class="link small" href={withQuery(here, { compare: null })}>
          {words.endComparison}
        </a>
      </div>
      {compared.length > mostCompared ? <Callout>{words.onlyFour}</Callout> : null}
      <Comparison models={models} addressOf={addressOf} more={more?.(models) ?? []} />
    </section>
  );
}

interface CompareProps {
  readonly shown: readonly Model[];
  /** Those that are compared already, also where they are not shown to be ticked. */
  readonly compared: readonly Model[];
  readonly chosen: number;
  /** The other fields of the address. */
  readonly keeps: Record<string, string>;
}

/** Compares what is ticked, beside what is compared already and stands on another page of the list. */
export function CompareButton({ shown, compared, chosen, keeps }: CompareProps) {
  const words = useWords(catalogueWords);
  const elsewhere = compared.filter((model) => !shown.includes(model)).slice(0, mostCompared);
  if (chosen + elsewhere.length < 2) return null;
  return (
    <form
      method="get"
      id={compareForm}
      class="row compare-go"
      data-few={words.compareFew}
      data-many={words.compareMany(2).replace('2', '#')}
    >
      {Object.entries(keeps).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {elsewhere.map(({ publicId }) => (
        <input type="hidden" name="compare" value={publicId} />
      ))}
      <Button size="small">{words.compare}</Button>
    </form>
  );
}
