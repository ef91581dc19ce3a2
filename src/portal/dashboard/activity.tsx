/** `/dashboard/activity`: what was done to an account, or to those that somebody administers, and its export. */
import { z } from 'zod';
import { type ActivityEntry, activityAreas, listActivity } from '../../audit/index.ts';
import type { Scope } from '../../base/scope.ts';
import { activityWords } from '../languages/activity/index.ts';
import { type Asked, idField, type Route, route } from '../route.ts';
import type { PortalServices } from '../services.ts';
import { deviceOf } from '../settings/device.ts';
import { LinkButton } from '../ui/button.tsx';
import { Empty } from '../ui/callout.tsx';
import { renderPage } from '../ui/document.tsx';
import { Icon } from '../ui/icon.tsx';
import { Filter } from '../ui/menu.tsx';
import { Moment, useWords } from '../ui/speech.tsx';
import { type Column, Table, Toolbar, TwoLines, withQuery } from '../ui/table.tsx';
import { Steps } from '../ui/way.tsx';
import { viewerOf } from '../viewer.ts';
import { wordsFor } from '../visit.ts';

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
          isFiltered={query.area !== undefined || query.before !== undefined}
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

interface ActivityTableProps {
  readonly entries: readonly ActivityEntry[];
  /** Of one account, which then need not be named in each row. */
  readonly isOwn: boolean;
  readonly isFiltered: boolean;
  readonly viewerId: number;
  readonly nowMs: number;
}

function ActivityTable({ entries, isOwn, isFiltered, viewerId, nowMs }: ActivityTableProps) {
  const words = useWords(activityWords);
  const account: Column<ActivityEntry> = {
    key: 'account',
    label: words.account,
    leaves: 'first',
    cell: ({ userEmail, userId }) => userEmail ?? (userId === null ? null : words.gone),
  };
  return (
    <Table
      caption={words.title}
      rows={entries}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="history" title={isFiltered ? words.noneFits : words.none}>
          {isFiltered ? <a href={path}>{words.newest}</a> : words.noneDetail}
        </Empty>
      }
      columns={[
        {
          key: 'time',
          label: words.time,
          phone: 'value',
          cell: ({ at }) => (
            <span class="quiet">
              <Moment at={at} nowMs={nowMs} />
            </span>
          ),
        },
        {
          key: 'what',
          label: words.what,
          phone: 'name',
          cell: (entry) => <TwoLines name={words.actions[entry.action]} detail={<Details entry={entry} />} />,
        },
        ...(isOwn ? [] : [account]),
        {
          key: 'who',
          label: words.who,
          phone: 'detail',
          cell: (entry) => writeActor(entry, viewerId, words),
        },
        {
          key: 'where',
          label: words.where,
          leaves: 'next',
          cell: ({ personal }) => (
            <span class="quiet">
              {[personal?.address, deviceOf(personal?.userAgent ?? null)]
                .filter((part) => part !== undefined)
                .join(' · ')}
            </span>
          ),
        },
      ]}
    />
  );
}

/** Who does one of these shows with it that the account is theirs, though nobody was signed in before. */
const proofs: readonly string[] = ['session.started', 'account.password_reset', 'account.verified'];

function writeActor(
  { action, actorKind, actorId, actorEmail, userId, userEmail }: ActivityEntry,
  viewerId: number,
  words: (typeof activityWords)['en'],
): string {
  if (actorKind === 'program') return words.program;
  if (actorKind === 'visitor') {
    if (!proofs.includes(action)) return words.visitor;
    return userId === viewerId ? words.you : (userEmail ?? words.gone);
  }
  if (actorId === viewerId) return words.you;
  return actorEmail ?? words.gone;
}

function Details({ entry: { personal, details } }: { readonly entry: ActivityEntry }) {
  const words = useWords(activityWords);
  const write = (value: unknown): string => {
    if (value === null || value === '') return words.nothing;
    if (typeof value === 'boolean') return value ? words.yes : words.no;
    if (!Array.isArray(value)) return String(value);
    return value.length === 0 ? words.nothing : value.map(write).join(', ');
  };
  const told = Object.entries(details).map(([name, value]) => {
    const isChange = value !== null && typeof value === 'object' && 'from' in value;
    const written = isChange ? words.became(write(value.from), write(value.to)) : write(value);
    return `${words.fields[name] ?? name} ${written}`;
  });
  return <>{[...(personal?.label === undefined ? [] : [personal.label]), ...told].join(' · ')}</>;
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
