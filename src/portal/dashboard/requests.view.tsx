/** The newest requests of what somebody looks at, as the request log has them. */
import type { StoredUsageRecord } from '../../usage/index.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { homeWords } from '../languages/home/index.ts';
import { Empty } from '../ui/callout.tsx';
import { wayTo } from '../ui/navigation.ts';
import { useWords } from '../ui/speech.tsx';
import { Table } from '../ui/table.tsx';
import { useLogColumns } from './request-log/log-columns.tsx';

interface RequestsProps {
  readonly requests: readonly StoredUsageRecord[];
  /** By id. */
  readonly keyNames: ReadonlyMap<number, string>;
}

export function Requests({ requests, keyNames }: RequestsProps) {
  const words = useWords(dashboardWords).requests;
  const { latest } = useWords(homeWords);
  const log = wayTo('requests');
  return (
    <section class="section" id="requests" aria-labelledby="requests-title">
      <div class="section-head">
        <h2 id="requests-title">{words.title}</h2>
        {requests.length === 0 ? null : (
          <a class="link small" href={log}>
            {latest.all}
          </a>
        )}
      </div>
      <Table
        caption={words.title}
        rows={requests}
        keyOf={({ requestId }) => requestId}
        hrefOf={({ requestId }) => `${log}/${requestId}`}
        empty={
          <Empty icon="list" title={words.none}>
            {words.noneDetail}
          </Empty>
        }
        columns={useLogColumns(requests, { names: { keys: keyNames }, isNarrow: false })}
      />
    </section>
  );
}
