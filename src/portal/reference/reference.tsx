/** GET /api-docs: the descriptions of the gateway, the portal and the account API, to read, to search and to try. */
import type { Context } from 'hono';
import { z } from 'zod';
import { referenceWords } from '../languages/reference/index.ts';
import { describePortal } from '../openapi.ts';
import { publicLayout } from '../public/public-route.ts';
import { type Asked, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { renderPage } from '../ui/document.tsx';
import { useWords } from '../ui/speech.tsx';
import { Search } from '../ui/table.tsx';
import { Tabs } from '../ui/way.tsx';
import { visitOf, wordsFor } from '../visit.ts';
import { type Description, type Operation, readDescription } from './description.ts';
import { exampleBody } from './examples.ts';
import { withOfferedModel } from './offered-model.ts';
import { OperationPage } from './operation.tsx';
import { Marked, SchemaFields } from './schema.tsx';

const faces = ['gateway', 'portal', 'account'] as const;
type Face = (typeof faces)[number];

const files: Readonly<Record<Face, string>> = {
  gateway: '/openapi/gateway.json',
  portal: '/openapi.json',
  account: '/openapi/account.json',
};

const referenceQuery = z.object({
  of: z.string().max(20).optional().describe('gateway, portal or account'),
  at: z.string().max(200).optional().describe('The address that is shown by itself'),
  q: z.string().max(100).optional().describe('Words that the addresses shown have'),
});

/** @param routes all that are described. */
export function referenceRoutes(routes: () => readonly Route[]): readonly Route[] {
  const read = new Map<Face, Description>();
  const descriptionOf = (face: Face, { descriptions }: PortalServices): Description => {
    const known = read.get(face);
    if (known !== undefined) return known;
    const made = readDescription(face === 'portal' ? describePortal(routes(), '/') : descriptions[face]);
    read.set(face, made);
    return made;
  };
  return [
    route({
      method: 'GET',
      path: '/api-docs',
      summary: 'The descriptions of the APIs, to read, to search and to try',
      tag: 'Public pages',
      access: 'anyone',
      answers: 'page',
      query: referenceQuery,
      handle: (asked) => {
        const face = faces.find((one) => one === asked.query.of) ?? 'gateway';
        return showReference(asked, { face, description: descriptionOf(face, asked.services) });
      },
    }),
  ];
}

interface Shown {
  readonly face: Face;
  readonly description: Description;
}

type Question = Asked<'anyone', { query: typeof referenceQuery }>;

function showReference(asked: Question, shown: Shown): Response | Promise<Response> {
  const { context, session, query } = asked;
  const words = wordsFor(context, referenceWords);
  const layout = publicLayout(session);
  const operation = shown.description.operations.find(({ id }) => id === query.at);
  if (operation !== undefined) return showOperation(asked, { ...shown, operation });
  if (query.at !== undefined) return context.redirect(hrefOf(shown.face), 303);
  return renderPage(context, {
    title: words.title,
    description: words.description,
    layout,
    islands: ['reference'],
    content: <Overview {...shown} sought={query.q ?? ''} />,
  });
}

function showOperation(
  { context, services, session }: Question,
  { face, description, operation }: Shown & { readonly operation: Operation },
): Promise<Response> {
  const { title } = wordsFor(context, referenceWords);
  const body = withOfferedModel(exampleBody(operation, description), operation, services.catalogue.current());
  return renderPage(context, {
    title: `${operation.method} ${operation.path} · ${title}`,
    description: operation.summary,
    layout: publicLayout(session),
    islands: ['reference'],
    content: (
      <OperationPage
        asking={{ operation, address: addressOf(context), body }}
        description={description}
        back={hrefOf(face)}
        hrefOf={({ id }) => hrefOf(face, id)}
      />
    ),
  });
}

const addressOf = (context: Context): string => visitOf(context).address;

function hrefOf(face: Face, at?: string): string {
  const query = new URLSearchParams({
    ...(face === 'gateway' ? {} : { of: face }),
    ...(at === undefined ? {} : { at }),
  });
  return query.size === 0 ? '/api-docs' : `/api-docs?${query}`;
}

function Overview({ face, description, sought }: Shown & { readonly sought: string }) {
  const words = useWords(referenceWords);
  const found = new Set(description.operations.filter((operation) => hasWords(operation, sought)));
  // All are drawn, for who goes on to look for other words.
  const groups = [...Map.groupBy(description.operations, ({ tag }) => tag)];
  const errors = errorSchemas.map((name) => description.schemas[name]).find((schema) => schema !== undefined);
  return (
    <>
      <div class="public-head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <div class="reference-bar">
        <Tabs
          label={words.title}
          items={faces.map((name) => ({
            href: hrefOf(name),
            label: words.names[name],
            isCurrent: name === face,
          }))}
        />
      </div>
      <div class="reference-intro">
        <p class="quiet">
          <Marked text={description.text} />
        </p>
        <p class="small">
          <span class="quiet">{words.version(description.version)}</span>{' '}
          <a class="link" href={files[face]}>
            {words.file}
          </a>{' '}
          <a class="link" href="/openapi/all.json">
            {words.wholeFile}
          </a>
        </p>
      </div>
      {description.operations.length === 0 ? null : (
        <Search name="q" label={words.find} value={sought} keeps={face === 'gateway' ? {} : { of: face }} />
      )}
      {groups.map(([tag, operations]) => (
        <section
          class="section reference-group"
          aria-labelledby={`group-${idOf(tag)}`}
          hidden={!operations.some((operation) => found.has(operation))}
        >
          <h2 id={`group-${idOf(tag)}`}>{tag}</h2>
          <ul>
            {operations.map((operation) => (
              <li data-words={wordsOf(operation)} hidden={!found.has(operation)}>
                <a class="operation-line" href={hrefOf(face, operation.id)}>
                  <span class="operation-method">{operation.method}</span>
                  <code>{operation.path}</code>
                  <span class="quiet">
                    <Marked text={operation.summary} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p class="quiet reference-none" data-none hidden={found.size > 0 || sought === ''} role="status">
        {words.none}
      </p>
      {errors === undefined ? null : (
        <section class="section reference-errors" aria-labelledby="errors">
          <h2 id="errors">{words.parts.errors}</h2>
          {errors.description === undefined ? null : (
            <p class="quiet">
              <Marked text={errors.description} />
            </p>
          )}
          <SchemaFields schema={errors} description={description} />
        </section>
      )}
    </>
  );
}

/** As the gateway, the portal and the account API call what they refuse with. */
const errorSchemas = ['Error', 'Refusal', 'Errors'] as const;

const idOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** What a search looks in. */
const wordsOf = ({ method, path, tag, summary }: Operation): string =>
  `${method} ${path} ${tag} ${summary}`.toLowerCase();

/** Every word, anywhere. */
const hasWords = (operation: Operation, sought: string): boolean =>
  sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => wordsOf(operation).includes(word));
