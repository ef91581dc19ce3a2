/** Models beside each other: a column each, a row for what can be compared. */
import type { Child } from 'hono/jsx';
import { capabilities, type Model } from '../../catalogue/index.ts';
import { catalogueWords } from '../languages/catalogue/index.ts';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { priceLines } from './prices.ts';

export interface ComparisonProps {
  readonly models: readonly Model[];
  /** Where a model stands. */
  readonly addressOf: (publicId: string) => string;
  /** Rows behind the others, a cell for each model. */
  readonly more?: readonly { readonly name: string; readonly cells: readonly Child[] }[];
}

export function Comparison({ models, addressOf, more = [] }: ComparisonProps) {
  const words = useWords(catalogueWords);
  const { figures } = useSpeech();
  const count = (number: number | null) => (number === null ? '–' : figures.count(number));
  const prices = models.map(
    (model) => new Map(priceLines(model, { words, figures }).map((line) => [line.name, line])),
  );
  const priced = [...new Set(prices.flatMap((lines) => [...lines.keys()]))];
  return (
    <section class="comparison" tabindex={0} aria-label={words.compared}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">{words.model}</span>
            </th>
            {models.map(({ publicId }) => (
              <th scope="col">
                <a class="link" href={addressOf(publicId)}>
                  {publicId}
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row name={words.owner} cells={models.map(({ ownedBy }) => ownedBy)} />
          <Row name={words.type} cells={models.map(({ type }) => words.types[type])} />
          <Row name={words.context} cells={models.map(({ contextWindow }) => count(contextWindow))} />
          <Row
            name={words.longestAnswer}
            cells={models.map(({ maxOutputTokens }) => count(maxOutputTokens))}
          />
          {capabilities.map((each) => (
            <Row
              name={words.capabilities[each]}
              cells={models.map((model) => (model.capabilities.includes(each) ? words.yes : words.no))}
            />
          ))}
          <Row
            name={words.providers}
            cells={models.map(({ deployments }) => figures.count(deployments.length))}
          />
          {priced.map((name) => (
            <Row name={name} cells={prices.map((lines) => lines.get(name)?.price ?? '–')} />
          ))}
          {more.map((row) => (
            <Row {...row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ name, cells }: { readonly name: string; readonly cells: readonly Child[] }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {cells.map((cell) => (
        <td>{cell}</td>
      ))}
    </tr>
  );
}
