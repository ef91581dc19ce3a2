/** What became of the deliveries of a webhook: the event, how it ended, when, and how long its last try took. */
import type { WebhookDelivery } from '../../../notifications/index.ts';
import { webhooksWords } from '../../languages/webhooks/index.ts';
import { PostButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/callout.tsx';
import { Moment, useSpeech, useWords } from '../../ui/speech.tsx';
import { type Mood, State } from '../../ui/state.tsx';
import { Table, TwoLines } from '../../ui/table.tsx';
import { webhookPath } from './the-webhooks.ts';

interface DeliveryTableProps {
  readonly webhookId: number;
  readonly deliveries: readonly WebhookDelivery[];
  readonly nowMs: number;
}

const moods: Readonly<Record<WebhookDelivery['state'], Mood>> = {
  delivered: 'good',
  waiting: 'off',
  failed: 'bad',
};

export function DeliveryTable({ webhookId, deliveries, nowMs }: DeliveryTableProps) {
  const words = useWords(webhooksWords);
  const { figures } = useSpeech();
  return (
    <Table
      caption={words.history}
      rows={deliveries}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="webhook" title={words.historyNone}>
          {words.historyNoneDetail}
        </Empty>
      }
      columns={[
        {
          key: 'event',
          label: words.event,
          phone: 'name',
          cell: ({ kind, tries }) => (
            <TwoLines name={<span class="mono">{kind}</span>} detail={tries > 1 ? words.tries(tries) : ''} />
          ),
        },
        {
          key: 'result',
          label: words.result,
          phone: 'detail',
          cell: (delivery) => <Result delivery={delivery} nowMs={nowMs} />,
        },
        {
          key: 'when',
          label: words.when,
          leaves: 'next',
          cell: ({ createdAt }) => <Moment at={createdAt} nowMs={nowMs} />,
        },
        {
          key: 'took',
          label: words.took,
          leaves: 'first',
          isNumber: true,
          cell: ({ last }) => (last === null ? '' : figures.span(last.durationMs)),
        },
        {
          key: 'again',
          label: words.again,
          isLabelHidden: true,
          isNumber: true,
          phone: 'value',
          cell: ({ id, state }) =>
            state === 'waiting' ? null : (
              <PostButton to={`${webhookPath(webhookId)}/deliveries/${id}/redeliver`} size="small">
                {words.again}
              </PostButton>
            ),
        },
      ]}
    />
  );
}

function Result({ delivery, nowMs }: { readonly delivery: WebhookDelivery; readonly nowMs: number }) {
  const words = useWords(webhooksWords);
  const { state, last, dueAt } = delivery;
  const status =
    last === null ? null : last.status === null ? words.noAnswer : words.status(String(last.status));
  return (
    <span class="row" title={last?.error ?? undefined}>
      <State mood={moods[state]}>{words[state]}</State>
      <span class="quiet">
        {status}
        {last !== null && dueAt !== null ? (
          <>
            {status === null ? '' : ', '}
            {words.next} <Moment at={dueAt} nowMs={nowMs} />
          </>
        ) : null}
      </span>
    </span>
  );
}
