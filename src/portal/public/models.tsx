/** GET /models-public: the catalogue to search, filter, sort and compare; all of it is in the address. */
import { z } from 'zod';
import { capabilities, type Model, modelTypes } from '../../catalogue/index.ts';
import { catalogueWords } from '../languages/catalogue/index.ts';
import {
  abilitiesOf,
  addressOfModel as addressOf,
  chooseModels,
  type ModelChoice,
  offeredModels,
  readCapability,
  readType,
} from '../model-list/choose-models.ts';
import {
  CompareButton,
  ComparedModels,
  NoModel,
  namedModels,
  useModelColumns,
} from '../model-list/list-parts.tsx';
import { type Asked, type Route, route } from '../route.ts';
import { renderPage } from '../ui/document.tsx';
import { Filter } from '../ui/menu.tsx';
import { useWords } from '../ui/speech.tsx';
import { Search, Table, Toolbar, withQuery } from '../ui/table.tsx';
import { Pagination } from '../ui/way.tsx';
import { wordsFor } from '../visit.ts';
import { publicLayout } from './public-route.ts';

const pageSize = 100;
const field = z.string().max(200).optional();
const listQuery = z.object({
  q: field.describe('Words that the name, the maker or an alias has'),
  type: field.describe(modelTypes.join(', ')),
  capability: field.describe(capabilities.join(', ')),
  sort: field.describe('model, context, input or output; downwards with a hyphen in front'),
  page: field.describe('From 1'),
  compare: field.describe('A model to compare; up to four times'),
});

export const modelListRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/models-public',
    summary: 'The models and their prices, to search, filter, sort and compare',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    query: listQuery,
    handle: showModels,
  }),
];

function showModels(asked: Asked<'anyone', { query: typeof listQuery }>): Promise<Response> {
  const { context, services, session, query } = asked;
  const { title, description } = wordsFor(context, catalogueWords);
  const offered = offeredModels(services.catalogue.current());
  const choice = {
    search: query.q ?? '',
    type: readType(query.type),
    capability: readCapability(query.capability),
    sort: query.sort ?? '',
  };
  const compared = namedModels(context.req.queries('compare') ?? [], offered);
  const { pathname, search } = new URL(context.req.url);
  const list = { offered, chosen: chooseModels(offered, choice), choice, compared };
  const page = Math.max(1, Number.parseInt(query.page ?? '1', 10) || 1);
  return renderPage(context, {
    title,
    description,
    layout: publicLayout(session),
    islands: ['compare'],
    content: <Models {...list} page={page} here={`${pathname}${search}`} />,
  });
}

interface ModelsProps {
  readonly offered: readonly Model[];
  readonly chosen: readonly Model[];
  readonly choice: ModelChoice;
  readonly compared: readonly Model[];
  readonly page: number;
  readonly here: string;
}

function Models(props: ModelsProps) {
  const { offered, chosen, compared, page, here } = props;
  const words = useWords(catalogueWords);
  const shown = chosen.slice((page - 1) * pageSize, page * pageSize);
  return (
    <div class="catalogue">
      <div class="public-head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead(words.counted(offered.length))}</p>
      </div>
      <ComparedModels {...{ here, compared, addressOf }} />
      <section class="section" aria-label={words.title}>
        <Tools {...props} shown={shown} />
        <ModelTable rows={shown} here={here} compared={compared} />
        <Pagination
          page={page}
          pageSize={pageSize}
          total={chosen.length}
          hrefOf={(number) => withQuery(here, { page: String(number) })}
        />
      </section>
    </div>
  );
}

function Tools({
  choice,
  here,
  chosen,
  compared,
  shown,
}: ModelsProps & { readonly shown: readonly Model[] }) {
  const words = useWords(catalogueWords);
  const { type, capability, search, sort } = choice;
  const kept: Record<string, string> = {
    ...(type && { type }),
    ...(capability && { capability }),
    ...(sort !== '' && { sort }),
  };
  const hidden: Record<string, string> = search === '' ? kept : { ...kept, q: search };
  const to = (changes: Record<string, string | null>) => withQuery(here, { page: null, ...changes });
  const optionOf = (name: 'type' | 'capability', value: string | null, label: string) => ({
    href: to({ [name]: value }),
    label,
    isCurrent: choice[name] === value,
  });
  return (
    <Toolbar search={<Search name="q" label={words.search} value={search} keeps={kept} />}>
      <Filter
        id="type"
        name={words.type}
        options={[
          optionOf('type', null, words.all),
          ...modelTypes.map((each) => optionOf('type', each, words.types[each])),
        ]}
      />
      <Filter
        id="capability"
        name={words.capability}
        options={[
          optionOf('capability', null, words.all),
          ...capabilities.map((each) => optionOf('capability', each, words.capabilities[each])),
        ]}
      />
      <span class="grow" />
      <CompareButton {...{ shown, compared }} chosen={chosen.length} keeps={hidden} />
    </Toolbar>
  );
}

interface ModelTableProps {
  readonly rows: readonly Model[];
  readonly here: string;
  readonly compared: readonly Model[];
}

function ModelTable({ rows, here, compared }: ModelTableProps) {
  const words = useWords(catalogueWords);
  const columns = useModelColumns({ here, compared, addressOf });
  return (
    <Table
      caption={words.title}
      rows={rows}
      keyOf={({ publicId }) => publicId}
      isSticky
      empty={<NoModel all="/models-public" />}
      columns={[
        columns.compare,
        columns.model,
        { key: 'type', label: words.type, phone: 'detail', cell: ({ type }) => words.types[type] },
        {
          key: 'capabilities',
          label: words.capability,
          leaves: 'first',
          cell: (model) =>
            abilitiesOf(model)
              .map((each) => words.capabilities[each])
              .join(', '),
        },
        columns.context,
        columns.input,
        { ...columns.output, leaves: 'next' },
      ]}
    />
  );
}
