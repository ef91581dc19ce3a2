/** The overview, drawn: figures, spend by model beside the balance, attention, newest requests, keys. */
import type { Child } from 'hono/jsx';
import { nanoUsdPerUsd } from '../../base/money.ts';
import type { Scope } from '../../base/scope.ts';
import type { Model } from '../../catalogue/index.ts';
import { type ApiKey, isAtLeast, type User } from '../../identity/index.ts';
import type { StoredUsageRecord } from '../../usage/index.ts';
import { dashboardWords } from '../languages/dashboard/index.ts';
import { homeWords } from '../languages/home/index.ts';
import { emptyAtMs, type Payment } from '../payment.ts';
import { openAiSamples } from '../public/samples.ts';
import { PostButton, Segments } from '../ui/button.tsx';
import { CodeSamples } from '../ui/code.tsx';
import { CreditCommand } from '../ui/commands.tsx';
import { Runway } from '../ui/course.tsx';
import { writeExactUsd } from '../ui/figures.ts';
import { useSpeech, useWords } from '../ui/speech.tsx';
import { State } from '../ui/state.tsx';
import { NeedsAttention, type Notices } from './attention.tsx';
import { FirstSteps, type Steps } from './first-steps.tsx';
import { type HomeFacts, type PeriodDays, periods } from './home-facts.ts';
import { HomeFigures, SpendChart } from './home-figures.view.tsx';
import { Keys } from './keys.view.tsx';
import { Requests } from './requests.view.tsx';
import { type Spender, Spenders } from './spenders.view.tsx';

export interface OverviewProps {
  readonly user: User;
  /** Whose things the figures are of. */
  readonly scope: Scope;
  /** Whether they administer others, and look at their own things alone. */
  readonly isNarrow: boolean;
  readonly days: PeriodDays;
  readonly facts: HomeFacts;
  readonly notices: Notices;
  readonly payment: Payment;
  /** Null where there is nothing left to do, or nobody wants to see it. */
  readonly steps: Steps | null;
  /** Null where somebody looks at their own things. */
  readonly spenders: readonly Spender[] | null;
  readonly keys: readonly ApiKey[];
  /** Newest first. */
  readonly requests: readonly StoredUsageRecord[];
  readonly keyNames: ReadonlyMap<number, string>;
  readonly models: readonly Model[];
  readonly address: string;
  readonly nowMs: number;
}

export function Overview(overview: OverviewProps) {
  const { days, facts, notices, payment, steps, spenders, keys, requests, keyNames, nowMs } = overview;
  const { title } = useWords(dashboardWords);
  const words = useWords(homeWords);
  const isOwn = overview.scope.whose === 'person';
  return (
    <>
      <div class="page-head">
        <h1>{title}</h1>
        <Segments
          label={words.period}
          items={periods.map((each) => ({
            ...{ href: `/dashboard?days=${each}`, label: words.periods[each], isCurrent: each === days },
          }))}
        />
      </div>
      {overview.isNarrow ? (
        <div class="row scope-line">
          <p class="quiet small">{words.ownAlone}</p>
          <PostButton to="/dashboard/toggle-admin-mode" fields={{ admin_mode: 'on' }} size="small" icon="eye">
            {words.showAll}
          </PostButton>
        </div>
      ) : null}
      {steps === null ? null : <FirstSteps steps={steps} />}
      <HomeFigures facts={facts} days={days} />
      <div class="overview-middle section">
        <SpendChart facts={facts} days={days} />
        {isOwn && payment.by === 'themself' ? <Balance {...overview} payment={payment} /> : null}
      </div>
      {isOwn ? <PaidByOthers payment={payment} /> : null}
      {isOwn && requests.length === 0 ? <Start {...overview} /> : null}
      <NeedsAttention notices={notices} nowMs={nowMs} isNew={steps !== null} />
      {spenders === null ? null : (
        <Spenders spenders={spenders} wholeNanoUsd={facts.now?.costNanoUsd ?? 0n} logDays={facts.logDays} />
      )}
      <Requests requests={requests} keyNames={keyNames} />
      {isOwn ? <Keys keys={keys} nowMs={nowMs} /> : null}
    </>
  );
}

/** Of a line, who pays, where that is not who looks. */
function PaidByOthers({ payment }: Pick<OverviewProps, 'payment'>) {
  const words = useWords(homeWords).balance;
  const { balance } = useWords(dashboardWords);
  if (payment.by === 'themself') return null;
  const others = payment.organisation?.name ?? '';
  return <p class="quiet small">{payment.by === 'nobody' ? balance.exempt : words.byOrganisation(others)}</p>;
}

type OwnPayment = Extract<Payment, { readonly by: 'themself' }>;

function Balance({ user, payment, nowMs }: OverviewProps & { readonly payment: OwnPayment }) {
  const words = useWords(homeWords).balance;
  const { balance } = useWords(dashboardWords);
  const { figures } = useSpeech();
  const { availableNanoUsd, aDayNanoUsd, paysForAll, organisation } = payment;
  const { dollars, behindCents, sign } = figures.balance(availableNanoUsd);
  // Of less than a dollar the parts of a cent are what is left.
  const isDollars = availableNanoUsd >= nanoUsdPerUsd;
  const emptyMs = emptyAtMs(payment, nowMs);
  const lastsFor = (untilMs: number) => {
    const days = Math.floor((untilMs - nowMs) / 86_400_000);
    const aDay = figures.cost(aDayNanoUsd);
    // What they spend themself stands beside it: this is more where others spend of the same wallet.
    return paysForAll ? words.lastsPaying(days, aDay, organisation?.name ?? '') : words.lasts(days, aDay);
  };
  return (
    <BalanceSection>
      <p class="amount" title={writeExactUsd(availableNanoUsd)}>
        {dollars}
        {behindCents === '' || isDollars ? null : <span class="fraction">{behindCents}</span>}
        {sign}
      </p>
      {availableNanoUsd > 0n ? (
        <>
          <p class="quiet">{emptyMs === null ? balance.prepaid : lastsFor(emptyMs)}</p>
          {emptyMs === null ? null : (
            <Runway points={[{ atMs: nowMs, nanoUsd: availableNanoUsd }]} nowMs={nowMs} emptyMs={emptyMs} />
          )}
        </>
      ) : (
        <div class="stack">
          <State mood="bad">{balance.empty}</State>
          {isAtLeast(user.role, 'platform_admin') ? (
            <>
              <p class="quiet">{balance.howToAdd}</p>
              <CreditCommand email={user.email} nowMs={nowMs} />
            </>
          ) : (
            <p class="quiet">{balance.askToAdd(<strong class="whole">{user.email}</strong>)}</p>
          )}
        </div>
      )}
    </BalanceSection>
  );
}

function BalanceSection({ children }: { readonly children?: Child }) {
  const words = useWords(homeWords).balance;
  return (
    <section id="balance" aria-labelledby="balance-title">
      <h2 id="balance-title">{words.title}</h2>
      {children}
    </section>
  );
}

/** Until the first request has come. */
function Start({ models, address }: OverviewProps) {
  const words = useWords(dashboardWords).start;
  const { send } = useWords(homeWords);
  const model = models.find(({ type }) => type === 'chat');
  return (
    <section class="section" id="send" aria-labelledby="start-title">
      <div class="section-head">
        <h2 id="start-title">{send.title}</h2>
        <p class="quiet small">{words.baseUrl(<code class="whole">{address}/v1</code>)}</p>
      </div>
      {model === undefined ? (
        <p class="quiet">{words.noModel}</p>
      ) : (
        <>
          <CodeSamples id="start" samples={openAiSamples({ address, model: model.publicId })} />
          <p class="quiet small">{send.detail(<code>SLUICE_TOKEN</code>)}</p>
        </>
      )}
    </section>
  );
}
