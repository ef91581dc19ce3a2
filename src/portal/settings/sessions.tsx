/** Where an account is signed in, in its settings, and signing out elsewhere. */
import { z } from 'zod';
import { onlyOf } from '../../base/scope.ts';
import {
  endSessionById,
  endSessionsOfUser,
  listSessions,
  type SessionEntry,
  transact,
} from '../../identity/index.ts';
import { done } from '../done.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, idField, type Route, route } from '../route.ts';
import { clearSessionCookie, readSessionToken } from '../session-cookie.ts';
import { PostButton } from '../ui/button.tsx';
import { Moment, useWords } from '../ui/speech.tsx';
import { Tag } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { wordsFor } from '../visit.ts';
import { deviceOf } from './device.ts';
import { type Section, settingsPaths } from './section.ts';

const page = settingsPaths.security;
const sessionParams = z.object({ session_id: idField });

export const sessionsRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/dashboard/settings/sessions/{session_id}/end',
    summary: 'Sign out one browser',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    params: sessionParams,
    refusals: { 404: 'There is no such session' },
    handle: endOne,
  }),
  route({
    method: 'POST',
    path: '/dashboard/settings/sessions/end-others',
    summary: 'Sign out every browser but this one',
    tag: 'Dashboard',
    access: 'member',
    answers: 'action',
    page,
    handle: endOthers,
  }),
];

export const sessionsSection: Section = {
  async show({ services, session }) {
    const nowMs = services.clock.nowMs();
    const entries = await listSessions(onlyOf(session.user.id), services.storage.db, nowMs);
    return <Sessions entries={entries} ownId={session.id} nowMs={nowMs} />;
  },
};

interface SessionsProps {
  readonly entries: readonly SessionEntry[];
  /** The one that the page is asked for in. */
  readonly ownId: number;
  readonly nowMs: number;
}

function Sessions({ entries, ownId, nowMs }: SessionsProps) {
  const { sessions: words } = useWords(settingsWords);
  return (
    <section class="section" aria-labelledby="sessions-title">
      <div class="section-head">
        <h2 id="sessions-title">{words.title}</h2>
        {entries.length < 2 ? null : (
          <PostButton to="/dashboard/settings/sessions/end-others" look="danger">
            {words.endOthers}
          </PostButton>
        )}
      </div>
      <Table
        caption={words.title}
        rows={entries}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          {
            key: 'browser',
            label: words.browser,
            phone: 'name',
            cell: ({ id, userAgent }) => (
              <span class="row" title={userAgent ?? undefined}>
                {deviceOf(userAgent) ?? words.unknown}
                {id === ownId ? <Tag>{words.own}</Tag> : null}
              </span>
            ),
          },
          { key: 'address', label: words.address, leaves: 'next', cell: ({ address }) => address ?? '' },
          {
            key: 'begun',
            label: words.begun,
            leaves: 'first',
            cell: ({ createdAt }) => <Moment at={createdAt} nowMs={nowMs} />,
          },
          {
            key: 'used',
            label: words.used,
            phone: 'detail',
            cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} nowMs={nowMs} />,
          },
          {
            key: 'end',
            label: words.end,
            isLabelHidden: true,
            isNumber: true,
            phone: 'value',
            cell: ({ id }) => (
              <PostButton to={`/dashboard/settings/sessions/${id}/end`} size="small">
                {words.end}
              </PostButton>
            ),
          },
        ]}
      />
    </section>
  );
}

async function endOne({
  context,
  services,
  session,
  params: { session_id },
}: Asked<'member', { params: typeof sessionParams }>): Promise<Response> {
  await transact(services, (work) => endSessionById(onlyOf(session.user.id), work, session_id));
  if (session_id === session.id) {
    clearSessionCookie(context, services);
    return done(context, { to: '/login' });
  }
  return done(context, { to: page, message: wordsFor(context, settingsWords).sessions.ended });
}

async function endOthers({ context, services, session }: Asked<'member'>): Promise<Response> {
  const token = readSessionToken(context, services);
  await transact(services, (work) => endSessionsOfUser(work, session.user.id, token));
  return done(context, { to: page, message: wordsFor(context, settingsWords).sessions.othersEnded });
}
