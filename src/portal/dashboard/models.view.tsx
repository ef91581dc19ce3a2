/** The models that a person can use, with what a million tokens cost. */
import type { Model, Prices } from '../../catalogue/index.ts';
import { writeCount, writePrice, writePriceFor } from '../ui/figures.tsx';

/** A longer list starts folded, so that the page stays one look. */
const mostUnfolded = 12;

export function Models({ models }: { readonly models: readonly Model[] }) {
  return (
    <section aria-labelledby="models">
      <h2 id="models">Models</h2>
      {models.length === 0 ? (
        <div class="empty">
          <p>
            No model yet. Set the key of a provider, for example <code>OPENAI_API_KEY</code>, and start the
            server again, or declare models in the configuration file.
          </p>
        </div>
      ) : (
        <details open={models.length <= mostUnfolded}>
          <summary>
            {models.length === 1 ? 'One model' : `${writeCount(models.length)} models`}, prices for a million
            tokens{models.some(hasUnits) ? ' unless a price says otherwise' : null}
          </summary>
          <ModelTable models={models} />
        </details>
      )}
    </section>
  );
}

function ModelTable({ models }: { readonly models: readonly Model[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">Type</th>
          <th scope="col" class="number">
            Context
          </th>
          <th scope="col" class="number">
            Input
          </th>
          <th scope="col" class="number">
            Output
          </th>
        </tr>
      </thead>
      <tbody>
        {models.map(({ publicId, type, contextWindow, prices }) => (
          <tr key={publicId}>
            <td class="name">{publicId}</td>
            <td class="detail">{type}</td>
            <td class="number detail" data-unit="context">
              {contextWindow === null ? null : writeCount(contextWindow)}
            </td>
            <td class="number detail" data-unit="in">
              {[writePriceOf(prices, 'input'), ...writeUnitPrices(prices)]
                .filter((one) => one !== null)
                .join(', ') || null}
            </td>
            <td class="number detail" data-unit="out">
              {writePriceOf(prices, 'output')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function writePriceOf(prices: Prices | null, meter: 'input' | 'output'): string | null {
  const price = prices?.[meter];
  if (price === undefined) return null;
  return price === 0n ? 'free' : writePrice(price);
}

/** What is not counted in tokens, in the amounts that providers quote. */
const unitPrices = [
  { meter: 'audio_second', amount: 60n, words: 'a minute' },
  { meter: 'character', amount: 1_000_000n, words: 'for 1M characters' },
  { meter: 'rerank_unit', amount: 1_000n, words: 'for 1,000 searches' },
] as const;

const hasUnits = ({ prices }: Model): boolean => writeUnitPrices(prices).some((price) => price !== 'free');

function writeUnitPrices(prices: Prices | null): readonly string[] {
  return unitPrices.flatMap(({ meter, amount, words }) => {
    const price = prices?.[meter];
    if (price === undefined) return [];
    return price === 0n ? ['free'] : [`${writePriceFor(amount, price)} ${words}`];
  });
}
