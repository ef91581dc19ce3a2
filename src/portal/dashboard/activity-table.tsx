/** Entries of the audit trail as people read them: what was done, by whom and from where. */
import type { Child } from 'hono/jsx';
import type { ActivityEntry, NamesOfThings } from '../../audit/index.ts';
import type { IdentityProvider } from '../../configuration/index.ts';
import { activityWords } from '../languages/activity/index.ts';
import { deviceOf } from '../settings/device.ts';
import { Moment, useSpeech, useWords } from '../ui/speech.tsx';
import { type Column, Table, TwoLines } from '../ui/table.tsx';
import { tellFacts } from './activity-facts.ts';

interface ActivityTableProps {
  readonly entries: readonly ActivityEntry[];
  /** Of one account, which then need not be named in each row. */
  readonly isOwn: boolean;
  readonly empty: Child;
  readonly viewerId: number;
  /** Of what entries have the id alone. */
  readonly names: NamesOfThings;
  /** None where no sign-in is listed. */
  readonly providers?: readonly IdentityProvider[];
  readonly nowMs: number;
}

/** From where others did something is told to those who administer, and not to whom it was done. */
export function toldTo(
  { viewerId, isOwn }: Pick<ActivityTableProps, 'viewerId' | 'isOwn'>,
  entry: ActivityEntry,
): ActivityEntry {
  const { actorId, personal } = entry;
  if (!isOwn || actorId === null || actorId === viewerId) return entry;
  return { ...entry, personal: personal?.label === undefined ? null : { label: personal.label } };
}

export function ActivityTable(props: ActivityTableProps) {
  const { entries, isOwn, empty, viewerId, names, providers = [], nowMs } = props;
  const words = useWords(activityWords);
  const { language, figures } = useSpeech();
  const writing = { language, figures, names, providers };
  const account: Column<ActivityEntry> = {
    key: 'account',
    label: words.account,
    leaves: 'first',
    cell: ({ userEmail, userId, ...entry }) =>
      userId === null ? null : (
        <span class={userId === entry.actorId || isProof(entry) ? 'own-account' : undefined}>
          <span class="account-word">{words.account} </span>
          {userEmail ?? words.gone}
        </span>
      ),
  };
  return (
    <div class="activity">
      <Table
        caption={words.title}
        rows={entries.map((entry) => toldTo({ viewerId, isOwn }, entry))}
        keyOf={({ id }) => id}
        empty={empty}
        columns={[
          {
            key: 'time',
            label: words.time,
            phone: 'value',
            cell: ({ at }) => (
              <span class="quiet activity-when">
                <Moment at={at} nowMs={nowMs} />
              </span>
            ),
          },
          {
            key: 'what',
            label: words.what,
            phone: 'name',
            cell: (entry) => (
              <TwoLines name={words.actions[entry.action]} detail={tellFacts(entry, writing).join(' · ')} />
            ),
          },
          ...(isOwn ? [] : [account]),
          {
            key: 'who',
            label: words.who,
            phone: 'detail',
            cell: (entry) => (
              <>
                {writeActor(entry, viewerId, words)}
                {placesOf(entry).map((place) => (
                  <span class="narrow-only"> · {place}</span>
                ))}
              </>
            ),
          },
          {
            key: 'where',
            label: words.where,
            leaves: 'next',
            cell: (entry) => <span class="quiet">{placesOf(entry).join(' · ')}</span>,
          },
        ]}
      />
    </div>
  );
}

/** The address and the browser, as far as they are told. */
const placesOf = ({ personal }: ActivityEntry): readonly string[] =>
  [personal?.address, deviceOf(personal?.userAgent ?? null)].filter((part) => part !== undefined);

/** Who does one of these shows with it that the account is theirs, though nobody was signed in before. */
const proofs: readonly string[] = ['session.started', 'account.password_reset', 'account.verified'];
const isProof = ({ actorKind, action }: Pick<ActivityEntry, 'actorKind' | 'action'>): boolean =>
  actorKind === 'visitor' && proofs.includes(action);

function writeActor(
  { action, actorKind, actorId, actorEmail, userId, userEmail }: ActivityEntry,
  viewerId: number,
  words: (typeof activityWords)['en'],
): string {
  if (actorKind === 'program') return words.program;
  if (actorKind === 'visitor') {
    if (!isProof({ actorKind, action })) return words.visitor;
    return userId === viewerId ? words.you : (userEmail ?? words.gone);
  }
  if (actorId === viewerId) return words.you;
  return actorEmail ?? words.gone;
}
