/** GET /api-docs: the descriptions of the gateway, the portal and the account API, to read, to search and to try. */
import { z } from 'zod';
import { referenceWords } from '../languages/reference/index.ts';
import { viewerHeaders } from '../page-headers.ts';
import { type Asked, type Route, route } from '../route.ts';
import { loadViewerFiles } from '../ui/assets.tsx';
import { renderPage } from '../ui/document.tsx';
import { useWords } from '../ui/speech.tsx';
import { Tabs } from '../ui/way.tsx';
import { wordsFor } from '../visit.ts';
import { publicLayout } from './public-route.ts';

const descriptions = [
  { name: 'gateway', file: '/openapi/gateway.json' },
  { name: 'portal', file: '/openapi.json' },
  { name: 'account', file: '/openapi/account.json' },
] as const;
type Description = (typeof descriptions)[number];

const referenceQuery = z.object({ of: z.string().max(20).optional().describe('gateway, portal or account') });

export const referenceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api-docs',
    summary: 'The descriptions of the APIs, to read, to search and to try',
    tag: 'Public pages',
    access: 'anyone',
    answers: 'page',
    headers: viewerHeaders,
    query: referenceQuery,
    handle: showReference,
  }),
];

function showReference({ context, session, query }: Asked<'anyone', { query: typeof referenceQuery }>) {
  const { title, description } = wordsFor(context, referenceWords);
  const [gateway] = descriptions;
  return renderPage(context, {
    title,
    description,
    layout: publicLayout(session),
    islands: ['reference'],
    viewer: loadViewerFiles(),
    content: <Reference shown={descriptions.find(({ name }) => name === query.of) ?? gateway} />,
  });
}

function Reference({ shown }: { readonly shown: Description }) {
  const words = useWords(referenceWords);
  return (
    <>
      <div class="public-head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <Tabs
        label={words.title}
        items={descriptions.map(({ name }) => ({
          href: name === 'gateway' ? '/api-docs' : `/api-docs?of=${name}`,
          label: words.names[name],
          isCurrent: name === shown.name,
        }))}
      />
      <p class="small reference-file">
        <a class="link" href={shown.file}>
          {words.file}
        </a>
      </p>
      <div id="reference" data-description={shown.file}>
        <noscript>{words.needsScript}</noscript>
      </div>
    </>
  );
}
