/** Tables of one key: its tokens, and its latest requests. */
import type { ApiKey } from '../../../identity/index.ts';
import { keysWords } from '../../languages/keys/index.ts';
import { PostButton } from '../../ui/button.tsx';
import { Moment, useSpeech, useWords } from '../../ui/speech.tsx';
import { State } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useLogColumns } from '../request-log/log-columns.tsx';
import type { KeyDetailProps } from './key-props.ts';
import { keyPath, visibleToken } from './the-key.ts';

interface TokensProps {
  readonly apiKey: ApiKey;
  readonly nowMs: number;
  /** Whether the token before still works, and who looks may end it. */
  readonly mayEnd: boolean;
}

interface TokenRow {
  readonly visible: string;
  readonly usedAt: Date | null;
  /** Null for the one in use. */
  readonly endsAt: Date | null;
}

export function TokensOfKey({ apiKey, nowMs, mayEnd }: TokensProps) {
  const { detail: words } = useWords(keysWords);
  const { common } = useSpeech();
  return (
    <section class="section" aria-labelledby="tokens-title">
      <h2 id="tokens-title">{words.tokensOfKey}</h2>
      <Table
        caption={words.tokensOfKey}
        rows={tokensOf(apiKey)}
        keyOf={({ visible }) => visible}
        empty={null}
        columns={[
          {
            key: 'token',
            label: words.tokenOfKey,
            phone: 'name',
            cell: ({ visible }) => <code>{visible}</code>,
          },
          {
            key: 'state',
            label: words.tokenState,
            phone: 'detail',
            cell: ({ endsAt }) => <TokenState endsAt={endsAt} nowMs={nowMs} />,
          },
          {
            key: 'used',
            label: words.lastUsed,
            isNumber: true,
            phone: 'value',
            cell: ({ usedAt }) =>
              usedAt === null ? (
                <span class="quiet">{common.time.never}</span>
              ) : (
                <Moment at={usedAt} nowMs={nowMs} />
              ),
          },
          ...(mayEnd
            ? [
                {
                  key: 'end',
                  label: words.endNow,
                  isLabelHidden: true,
                  isNumber: true,
                  phone: 'state' as const,
                  cell: ({ endsAt }: TokenRow) =>
                    endsAt === null ? null : (
                      <PostButton to={`${keyPath(apiKey.id)}/end-overlap`} size="small">
                        {words.endNow}
                      </PostButton>
                    ),
                },
              ]
            : []),
        ]}
      />
    </section>
  );
}

/** The one in use first. */
function tokensOf(key: ApiKey): readonly TokenRow[] {
  const present = {
    visible: visibleToken(key.tokenPrefix, key.tokenLastFour),
    usedAt: key.rotatedAt === null ? key.lastUsedAt : key.secretLastUsedAt,
    endsAt: null,
  };
  if (key.previousEndsAt === null) return [present];
  const visible = visibleToken(key.previousTokenPrefix ?? '', key.previousTokenLastFour ?? '');
  return [present, { visible, usedAt: key.previousLastUsedAt, endsAt: key.previousEndsAt }];
}

function TokenState({ endsAt, nowMs }: { readonly endsAt: Date | null; readonly nowMs: number }) {
  const { detail: words } = useWords(keysWords);
  if (endsAt === null) return <State mood="good">{words.present}</State>;
  const moment = <Moment at={endsAt} nowMs={nowMs} />;
  return endsAt.getTime() > nowMs ? (
    <State mood="warn">
      <span>{words.previous(moment)}</span>
    </State>
  ) : (
    <State mood="off">
      <span>{words.previousOver(moment)}</span>
    </State>
  );
}

export function Latest({ apiKey, latest, hasOlder }: KeyDetailProps) {
  const { detail: words } = useWords(keysWords);
  const log = `/dashboard/request-log?range=all&key=${apiKey.id}`;
  const columns = useLogColumns(latest, { names: { keys: new Map() }, isNarrow: true });
  if (latest.length === 0 && !hasOlder) return null;
  return (
    <section class="section" aria-labelledby="latest-title">
      <div class="section-head">
        <h2 id="latest-title">{words.latest}</h2>
        <a class="link small" href={log}>
          {words.allRequests}
        </a>
      </div>
      {latest.length === 0 ? null : (
        <Table
          caption={words.latest}
          rows={latest}
          keyOf={({ requestId }) => requestId}
          hrefOf={({ requestId }) => `/dashboard/request-log/${requestId}?key=${apiKey.id}`}
          empty={null}
          columns={columns}
        />
      )}
    </section>
  );
}
