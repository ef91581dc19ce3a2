/** `/dashboard/activity`: what was done to an account, or to those that somebody administers, and its export. */
import { z } from 'zod';
import { activityAreas, listActivity } from '../../audit/index.ts';
import type { Scope } from '../../base/scope.ts';
import { activityWords } from '../languages/activity/index.ts';
import { type Asked, idField, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { LinkButton } from '../ui/button.tsx';
import { Empty } from '../ui/callout.tsx';
import { renderPage } from '../ui/document.tsx';
import { Icon } from '../ui/icon.tsx';
import { Filter } from '../ui/menu.tsx';
import { useWords } from '../ui/speech.tsx';
import { Toolbar, withQuery } from '../ui/table.tsx';
import { Steps } from '../ui/way.tsx';
import { viewerOf } from '../viewer.ts';
import { wordsFor } from '../visit.ts';
import { ActivityTable } from './activity-table.tsx';

const path = '/dashboard/activity';
const tag = 'Dashboard';
const shownEntries = 50;
const exportedAtOnce = 1000;

const filter = {
  area: z.enum(activityAreas).optional().describe('Only what is about this'),
};
const pageQuery = z.object({ ...filter, before: idField.optional().describe('The page of what is older') });
const exportQuery = z.object(filter);

export const activityRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    summary: 'What was done to the account, by whom and from where',
    tag,
    access: 'member',
    answers: 'page',
    query: pageQuery,
    handle: showActivity,
  }),
  route({
    method: 'GET',
    path: `${path}/export`,
    summary: 'The same as JSON lines, with the hashes by which it can be checked',
    tag,
    access: 'member',
    answers: 'file',
    query: exportQuery,
    handle: exportActivity,
  }),
];

async function showActivity({
  context,
  services,
  session,
  scope,
  query,
}: Asked<'member', { query: typeof pageQuery }>): Promise<Response> {
  const [{ entries, next }, viewer] = await Promise.all([
    listActivity(scope, services.storage.db, { ...query, limit: shownEntries }),
    viewerOf(session, services),
  ]);
  const words = wordsFor(context, activityWords);
  const here = withQuery(path, { area: query.area ?? null });
  const isOwn = scope.whose === 'person';
  return renderPage(context, {
    title: words.title,
    layout: { kind: 'signed-in', viewer },
    content: (
      <>
        <div class="page-head">
          <h1>{words.title}</h1>
          <LinkButton href={withQuery(`${path}/export`, { area: query.area ?? null })}>
            <Icon name="download" />
            {words.export}
          </LinkButton>
        </div>
        <div class="stack">
          <p class="quiet">{isOwn ? words.about : words.aboutMany}</p>
          <Toolbar>
            <AreaFilter area={query.area} />
          </Toolbar>
        </div>
        <ActivityTable
          entries={entries}
          isOwn={isOwn}
          empty={<Nothing isFiltered={query.area !== undefined || query.before !== undefined} />}
          viewerId={session.user.id}
          nowMs={services.clock.nowMs()}
        />
        <Steps
          previous={query.before === undefined ? null : here}
          next={next === null ? null : withQuery(here, { before: String(next) })}
        />
      </>
    ),
  });
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const words = useWords(activityWords);
  return (
    <Empty icon="history" title={isFiltered ? words.noneFits : words.none}>
      {isFiltered ? <a href={path}>{words.newest}</a> : words.noneDetail}
    </Empty>
  );
}

function AreaFilter({ area }: { readonly area: string | undefined }) {
  const words = useWords(activityWords);
  const all = { href: path, label: words.newest, isCurrent: area === undefined };
  const options = activityAreas.map((one) => ({
    href: withQuery(path, { area: one }),
    label: words.areas[one] ?? one,
    isCurrent: one === area,
  }));
  return <Filter id="area" name={words.area} options={[all, ...options]} />;
}

function exportActivity({
  services,
  scope,
  query,
}: Asked<'member', { query: typeof exportQuery }>): Response {
  const lines = exportedLines(services, scope, query.area);
  const encoder = new TextEncoder();
  // Pulled, so that a slow reader slows the database instead of filling memory; who leaves ends it.
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="activity.jsonl"',
    },
  });
}

/** A page at a time: no more is held. */
async function* exportedLines(
  { storage }: PortalServices,
  scope: Scope,
  area: string | undefined,
): AsyncGenerator<string, undefined> {
  let before: number | undefined;
  do {
    const asked = { area, before, limit: exportedAtOnce };
    const { entries, next } = await listActivity(scope, storage.db, asked);
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    before = next ?? undefined;
  } while (before !== undefined);
}
