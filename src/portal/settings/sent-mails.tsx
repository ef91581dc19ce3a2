/** `/dashboard/settings/notifications/sent`: what was sent to the contacts of the account, and what became of each mail. */
import { z } from 'zod';
import { onlyOf } from '../../base/scope.ts';
import { listSentMails, type SentMail } from '../../notifications/index.ts';
import { contactsWords } from '../languages/contacts/index.ts';
import { settingsWords } from '../languages/settings/index.ts';
import { type Asked, idField, type Route, route } from '../route.ts';
import { Empty } from '../ui/callout.tsx';
import { renderPage } from '../ui/document.tsx';
import { Moment, useWords } from '../ui/speech.tsx';
import { type Mood, State } from '../ui/state.tsx';
import { Table, TwoLines } from '../ui/table.tsx';
import { Steps } from '../ui/way.tsx';
import { viewerOf } from '../viewer.ts';
import { wordsFor } from '../visit.ts';
import { settingsPaths } from './section.ts';

export const sentMailsPath = `${settingsPaths.notifications}/sent`;

const query = z.object({ before: idField.optional().describe('The page of what is older') });

export const sentMailsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: sentMailsPath,
    summary: 'Mails to the contacts of the account, and what became of each',
    tag: 'Dashboard',
    access: 'member',
    answers: 'page',
    query,
    handle: show,
  }),
];

async function show({
  context,
  services,
  session,
  query: { before },
}: Asked<'member', { query: typeof query }>): Promise<Response> {
  const [{ mails, next }, viewer] = await Promise.all([
    listSentMails(onlyOf(session.user.id), services.storage.db, { before }),
    viewerOf(session, services),
  ]);
  const words = wordsFor(context, contactsWords);
  return renderPage(context, {
    title: words.sent.title,
    layout: {
      kind: 'signed-in',
      viewer,
      trail: [
        { href: settingsPaths.profile, label: wordsFor(context, settingsWords).title },
        { href: settingsPaths.notifications, label: words.page },
      ],
    },
    content: (
      <>
        <div class="page-head">
          <h1>{words.sent.title}</h1>
        </div>
        <div class="settings">
          <section class="section" aria-label={words.sent.title}>
            <p class="quiet">{words.sent.text}</p>
            <SentTable mails={mails} nowMs={services.clock.nowMs()} />
            <Steps
              previous={before === undefined ? null : sentMailsPath}
              next={next === null ? null : `${sentMailsPath}?before=${next}`}
            />
          </section>
        </div>
      </>
    ),
  });
}

const moods: Readonly<Record<SentMail['state'], Mood>> = { sent: 'good', waiting: 'off', given_up: 'bad' };

function SentTable({ mails, nowMs }: { readonly mails: readonly SentMail[]; readonly nowMs: number }) {
  const { sent, name } = useWords(contactsWords);
  return (
    <Table
      caption={sent.title}
      rows={mails}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="mail" title={sent.none}>
          {sent.noneDetail}
        </Empty>
      }
      columns={[
        {
          key: 'contact',
          label: name,
          phone: 'name',
          cell: (mail) => (
            <TwoLines
              name={mail.name === '' ? mail.recipient : mail.name}
              detail={mail.name === '' ? '' : mail.recipient}
            />
          ),
        },
        {
          key: 'kind',
          label: sent.what,
          phone: 'detail',
          cell: (mail) => <What mail={mail} nowMs={nowMs} />,
        },
        {
          key: 'state',
          label: sent.state,
          phone: 'state',
          cell: ({ state }) => <State mood={moods[state]}>{sent.states[state]}</State>,
        },
        {
          key: 'when',
          label: sent.when,
          phone: 'value',
          cell: ({ createdAt, endedAt }) => <Moment at={endedAt ?? createdAt} nowMs={nowMs} />,
        },
      ]}
    />
  );
}

/** The kind as the settings name it; and where a try has failed, why, how often and when the next one is. */
function What({ mail, nowMs }: { readonly mail: SentMail; readonly nowMs: number }) {
  const { sent, kinds } = useWords(contactsWords);
  const { kind, event, tries, answer, hasFailed, againAt } = mail;
  const told = kinds[kind ?? ''] ?? <span class="mono">{event}</span>;
  if (!hasFailed) return told;
  const reason = answer === null ? sent.notReached : sent.answered(answer);
  return (
    <>
      {told}
      <br />
      <span class="quiet small">
        {tries > 1 ? `${reason}, ${sent.tries(tries)}` : reason}
        {againAt === null ? null : (
          <>
            {`, ${sent.again} `}
            <Moment at={againAt} nowMs={nowMs} />
          </>
        )}
      </span>
    </>
  );
}
