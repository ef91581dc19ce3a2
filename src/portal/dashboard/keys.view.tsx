/** A person's API keys, by the parts of their tokens that may be shown. */
import type { ApiKey } from '../../identity/index.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { keysWords } from '../languages/keys/index.ts';
import { LinkButton } from '../ui/button.tsx';
import { Empty } from '../ui/callout.tsx';
import { wayTo } from '../ui/navigation.ts';
import { Moment, useSpeech, useWords } from '../ui/speech.tsx';
import { State } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';

const shownKeys = 8;

interface KeysProps {
  /** Those that were used last first. */
  readonly keys: readonly ApiKey[];
  readonly nowMs: number;
}

export function Keys({ keys, nowMs }: KeysProps) {
  const words = useWords(dashboardWords).keys;
  return (
    <section class="section" id="keys" aria-labelledby="keys-title">
      <div class="section-head">
        <h2 id="keys-title">{words.title}</h2>
        {keys.length === 0 ? null : (
          <a class="link small" href={wayTo('keys')}>
            {useWords(keysWords).list.clear}
          </a>
        )}
      </div>
      <Table
        caption={words.title}
        rows={keys.slice(0, shownKeys)}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `${wayTo('keys')}/${id}`}
        empty={
          <Empty
            icon="key-round"
            title={words.none}
            action={<LinkButton href="/dashboard/keys/new">{useWords(keysWords).list.create}</LinkButton>}
          >
            {words.noneDetail}
          </Empty>
        }
        columns={[
          { key: 'name', label: words.name, phone: 'name', cell: ({ name }) => name },
          {
            key: 'token',
            label: words.token,
            phone: 'detail',
            cell: ({ tokenPrefix, tokenLastFour }) => <code>{`${tokenPrefix}…${tokenLastFour}`}</code>,
          },
          {
            key: 'state',
            label: words.state,
            phone: 'state',
            cell: (key) => <KeyState apiKey={key} nowMs={nowMs} />,
          },
          {
            key: 'used',
            label: words.lastUsed,
            phone: 'value',
            isNumber: true,
            cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} nowMs={nowMs} />,
          },
        ]}
      />
    </section>
  );
}

function LastUsed({ at, nowMs }: { readonly at: Date | null; readonly nowMs: number }) {
  const { common } = useSpeech();
  return at === null ? <span class="quiet">{common.time.never}</span> : <Moment at={at} nowMs={nowMs} />;
}

/** Revoked keys are not listed. */
function KeyState({ apiKey, nowMs }: { readonly apiKey: ApiKey; readonly nowMs: number }) {
  const words = useWords(dashboardWords).keys;
  const { enabled, expiresAt } = apiKey;
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) return <State mood="bad">{words.expired}</State>;
  if (!enabled) return <State mood="off">{words.disabled}</State>;
  if (expiresAt === null) return <State mood="good">{words.active}</State>;
  return (
    <State mood="good">
      <span>{words.activeUntil(<Moment at={expiresAt} nowMs={nowMs} />)}</span>
    </State>
  );
}
