/** `/dashboard/activity`: what was done to an account, or to those that somebody administers, and its export. */
import { z } from 'zod';
import { activityAreas, listActivity, nameThings } from '../../audit/index.ts';
import { activityWords } from '../languages/activity/index.ts';
import { type Asked, idField, type Route, route } from '../route.ts';
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
import { ActivityTable, toldTo } from './activity-table.tsx';
import { streamOf, UnderWay } from './request-log/under-way.ts';

const path = '/dashboard/activity';
const tag = 'Dashboard';
const shownEntries = 50;
const exportedAtOnce = 1000;
/** Each holds a page and asks the database without a pause. */
const exports = new UnderWay(2, 8);

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
  const names = await nameThings(scope, services.storage.db, entries);
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
          <LinkButton look="ghost" href={withQuery(`${path}/export`, { area: query.area ?? null })}>
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
          names={names}
          providers={services.identityProviders}
          nowMs={services.clock.nowMs()}
        />
        <Steps
          previous={query.before === undefined ? null : here}
          previousLabel={words.newest}
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
  const all = { href: path, label: words.everything, isCurrent: area === undefined };
  const options = activityAreas.map((one) => ({
    href: withQuery(path, { area: one }),
    label: words.areas[one] ?? one,
    isCurrent: one === area,
  }));
  return <Filter id="area" name={words.area} options={[all, ...options]} />;
}

/** @throws AppError `rate_limited` or `server_busy` where too many are under way. */
function exportActivity(asked: Asked<'member', { query: typeof exportQuery }>): Response {
  const { context, session } = asked;
  context.header('content-type', 'application/x-ndjson; charset=utf-8');
  context.header('content-disposition', 'attachment; filename="activity.jsonl"');
  // Nobody would read it, nor end it.
  if (context.req.method === 'HEAD') return context.body(null);
  const end = exports.begin(session.user.id);
  return context.body(streamOf(exportedLines(asked), end));
}

/** A page at a time: no more is held. */
async function* exportedLines({
  services: { storage },
  session,
  scope,
  query: { area },
}: Asked<'member', { query: typeof exportQuery }>): AsyncGenerator<string, undefined> {
  let before: number | undefined;
  do {
    const page = { area, before, limit: exportedAtOnce };
    const { entries, next } = await listActivity(scope, storage.db, page);
    const told = entries.map((entry) =>
      toldTo({ viewerId: session.user.id, isOwn: scope.whose === 'person' }, entry),
    );
    yield told.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    before = next ?? undefined;
  } while (before !== undefined);
}
