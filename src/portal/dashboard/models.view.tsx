/** The models that a person can use, with what a million tokens cost. */
import type { Model, Prices } from '../../catalogue/index.ts';
import type { DashboardWords } from '../languages/dashboard/en.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { Empty } from '../ui/callout.tsx';
import type { Figures } from '../ui/figures.ts';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { Table } from '../ui/table.tsx';

/** A longer list starts folded, so that the page stays one look. */
const mostUnfolded = 12;

export function Models({ models }: { readonly models: readonly Model[] }) {
  const words = useWords(dashboardWords).models;
  return (
    <section class="section" id="models" aria-labelledby="models-title">
      <h2 id="models-title">{words.title}</h2>
      {models.length === 0 ? (
        <Empty icon="box" title={words.none}>
          {words.noneDetail(<code>OPENAI_API_KEY</code>)}
        </Empty>
      ) : (
        <details open={models.length <= mostUnfolded}>
          <summary class="quiet small">
            {`${words.counted(models.length)}, ${models.some(hasUnits) ? words.perMillionUnlessSaid : words.perMillion}`}
          </summary>
          <ModelTable models={models} />
        </details>
      )}
    </section>
  );
}

function ModelTable({ models }: { readonly models: readonly Model[] }) {
  const words = useWords(dashboardWords).models;
  const { figures } = useSpeech();
  const write = { words, figures };
  return (
    <Table
      caption={words.title}
      rows={models}
      keyOf={({ publicId }) => publicId}
      empty={null}
      columns={[
        { key: 'model', label: words.model, phone: 'name', cell: ({ publicId }) => publicId },
        { key: 'type', label: words.type, phone: 'detail', cell: ({ type }) => type },
        {
          key: 'context',
          label: words.context,
          isNumber: true,
          leaves: 'next',
          cell: ({ contextWindow }) => (contextWindow === null ? null : figures.count(contextWindow)),
        },
        {
          key: 'input',
          label: words.input,
          isNumber: true,
          phone: 'value',
          cell: ({ prices }) =>
            [writePriceOf(prices, 'input', write), ...writeUnitPrices(prices, write)]
              .filter((one) => one !== null)
              .join(', ') || null,
        },
        {
          key: 'output',
          label: words.output,
          isNumber: true,
          phone: 'state',
          cell: ({ prices }) => writePriceOf(prices, 'output', write),
        },
      ]}
    />
  );
}

interface Writing {
  readonly words: DashboardWords['models'];
  readonly figures: Figures;
}

function writePriceOf(prices: Prices | null, meter: 'input' | 'output', { words, figures }: Writing) {
  const price = prices?.[meter];
  if (price === undefined) return null;
  return price === 0n ? words.free : figures.price(price);
}

/** What is not counted in tokens, in the amounts that providers quote. */
const unitPrices = [
  { meter: 'audio_second', amount: 60n, words: 'perMinute' },
  { meter: 'character', amount: 1_000_000n, words: 'perMillionCharacters' },
  { meter: 'rerank_unit', amount: 1_000n, words: 'perThousandSearches' },
] as const;

const hasUnits = ({ prices }: Model): boolean =>
  unitPrices.some(({ meter }) => (prices?.[meter] ?? 0n) !== 0n);

function writeUnitPrices(prices: Prices | null, { words, figures }: Writing): readonly string[] {
  return unitPrices.flatMap(({ meter, amount, words: per }) => {
    const price = prices?.[meter];
    if (price === undefined) return [];
    return price === 0n ? [words.free] : [words[per](figures.priceFor(amount, price))];
  });
}
